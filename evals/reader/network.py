"""The network: a BERT that reads two texts together and gives its verdicts on them."""

from collections.abc import Callable
from copy import deepcopy

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, INNER, HEADS, WORDS, PLACES = 384, 1536, 12, 30522, 512
VERDICTS = (
    2  # Whether the second text answers the first, and whether it replaces what the first tells.
)
_EPSILON = 1e-12


class Layer(nn.Module):
    """Each token looks at all the others, and then at itself."""

    def __init__(self) -> None:
        super().__init__()
        self.looking, self.seen = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm, self.last_norm = (nn.LayerNorm(WIDTH, eps=_EPSILON) for _ in range(2))
        self.dropout = nn.Dropout(0.1)

    def narrow_to(self, units: Tensor) -> None:
        """Keep only some of the inner units."""
        self.wide.weight, self.wide.bias = (
            nn.Parameter(part[units]) for part in (self.wide.weight, self.wide.bias)
        )
        self.narrow.weight = nn.Parameter(self.narrow.weight[:, units])

    def forward(self, asking: Tensor, tokens: Tensor, mask: Tensor) -> Tensor:
        """Some tokens, after they have looked at all that the mask lets them see."""
        own, others = self.looking.weight.split([WIDTH, 2 * WIDTH])
        own_bias, others_bias = self.looking.bias.split([WIDTH, 2 * WIDTH])
        query = _by_head(functional.linear(asking, own, own_bias))
        key, value = map(_by_head, functional.linear(tokens, others, others_bias).chunk(2, dim=-1))
        # By hand: the ready-made attention takes a third of the time when it learns on a processor.
        weight = (query * (WIDTH // HEADS) ** -0.5) @ key.transpose(-1, -2)
        weight = weight.masked_fill(~mask, -1e4).softmax(-1).to(value.dtype)
        seen = self.seen((weight @ value).transpose(1, 2).reshape(asking.shape))
        asking = self.norm(asking + self.dropout(seen))
        return self.last_norm(
            asking + self.dropout(self.narrow(functional.gelu(self.wide(asking))))
        )


def _by_head(tokens: Tensor) -> Tensor:
    return tokens.view(*tokens.shape[:2], HEADS, WIDTH // HEADS).transpose(1, 2)


class Network(nn.Module):
    """Some layers over the embeddings; the first token gives the verdicts on both texts, as log
    odds.
    """

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.words, self.parts, self.places = (
            nn.Embedding(count, WIDTH) for count in (WORDS, 2, PLACES)
        )
        self.norm = nn.LayerNorm(WIDTH, eps=_EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.pool, self.verdict = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, VERDICTS)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor, attention_mask: Tensor) -> Tensor:
        tokens = (
            self.words(input_ids)
            + self.parts(token_type_ids)
            + self.places.weight[: input_ids.shape[1]]
        )
        tokens = self.norm(tokens)
        mask = attention_mask[:, None, None, :].bool()
        for layer in self.layers[:-1]:
            tokens = layer(tokens, tokens, mask)
        # Of the last layer only the first token is asked for its verdict.
        first = self.layers[-1](tokens[:, :1], tokens, mask)[:, 0]
        return self.verdict(torch.tanh(self.pool(first)))

    def thinned(self, count: int) -> "Network":
        """A shallower copy, with layers from all depths of this one: they know more than as many of
        the first.
        """
        copy = deepcopy(self)
        copy.layers = copy.layers[:: len(self.layers) // count]
        return copy

    def narrowed(self, inner: int, read: Callable[["Network"], None]) -> "Network":
        """A copy in which each layer keeps only the inner units that say most of something that it
        reads.
        """
        copy = deepcopy(self)
        loud = [torch.zeros(INNER) for _ in copy.layers]

        def listening(heard: Tensor) -> Callable[[nn.Module, object, Tensor], None]:
            def listen(_module: nn.Module, _given: object, said: Tensor) -> None:
                heard.add_(functional.gelu(said.float()).pow(2).flatten(0, -2).mean(0))

            return listen

        hooks = [
            layer.wide.register_forward_hook(listening(heard))
            for layer, heard in zip(copy.layers, loud, strict=True)
        ]
        with torch.no_grad():
            read(copy)
        for hook in hooks:
            hook.remove()
        for layer, heard in zip(copy.layers, loud, strict=True):
            said = heard * layer.narrow.weight.detach().pow(2).sum(0)
            layer.narrow_to(said.topk(inner).indices.sort().values)
        return copy
