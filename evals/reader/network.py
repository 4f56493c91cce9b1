"""The network: a BERT that reads a question and a text together and gives one number. Only this needs torch."""

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, INNER, HEADS, WORDS, PLACES = 384, 1536, 12, 30522, 512
_EPSILON = 1e-12


class Layer(nn.Module):
    """Each token looks at all the others, and then at itself."""

    def __init__(self) -> None:
        super().__init__()
        self.looking, self.seen = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm, self.last_norm = (nn.LayerNorm(WIDTH, eps=_EPSILON) for _ in range(2))
        self.dropout = nn.Dropout(0.1)

    def forward(self, tokens: Tensor, mask: Tensor | None) -> Tensor:
        batch, length, _ = tokens.shape
        looking = self.looking(tokens).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(*looking, attn_mask=mask)
        seen = self.seen(seen.transpose(1, 2).reshape(batch, length, WIDTH))
        tokens = self.norm(tokens + self.dropout(seen))
        return self.last_norm(tokens + self.dropout(self.narrow(functional.gelu(self.wide(tokens)))))


class Network(nn.Module):
    """Some layers over the embeddings; the first token tells how well the text answers the question, as log odds."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.words, self.parts, self.places = (nn.Embedding(count, WIDTH) for count in (WORDS, 2, PLACES))
        self.norm = nn.LayerNorm(WIDTH, eps=_EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.pool, self.verdict = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 1)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        tokens = self.words(input_ids) + self.parts(token_type_ids) + self.places.weight[: input_ids.shape[1]]
        tokens = self.norm(tokens)
        mask = None if attention_mask is None else attention_mask[:, None, None, :].bool()
        for layer in self.layers:
            tokens = layer(tokens, mask)
        return self.verdict(torch.tanh(self.pool(tokens[:, 0])))[:, 0]

    def first(self, count: int) -> "Network":
        """A shallower copy, with the first layers of this one."""
        copy = Network(count)
        copy.load_state_dict(
            {
                name: value
                for name, value in self.state_dict().items()
                if not name.startswith("layers.") or int(name.split(".")[1]) < count
            }
        )
        return copy
