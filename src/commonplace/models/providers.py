"""The OpenAI-compatible addresses of language model providers, by name."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from commonplace import spelling
from commonplace.errors import ModelFailed

# Provider names that mean "no model".
NO_PROVIDER = ("", "none", "noop", "mock", "off")


@dataclass(frozen=True, slots=True)
class Provider:
    """The address of a provider, its default model, and whether it needs a key."""

    url: str
    model: str = ""
    needs_key: bool = True


PROVIDERS = {
    "openai": Provider("https://api.openai.com/v1", "gpt-4o-mini"),
    "qwen": Provider("https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen-plus"),
    "deepseek": Provider("https://api.deepseek.com/v1", "deepseek-chat"),
    "siliconflow": Provider("https://api.siliconflow.cn/v1"),
    "zai": Provider("https://open.bigmodel.cn/api/paas/v4"),
    "anthropic": Provider("https://api.anthropic.com/v1"),
    "gemini": Provider("https://generativelanguage.googleapis.com/v1beta/openai"),
    "ollama": Provider("http://127.0.0.1:11434/v1", needs_key=False),
    "vllm": Provider("http://127.0.0.1:8000/v1", needs_key=False),
    "lmstudio": Provider("http://127.0.0.1:1234/v1", needs_key=False),
}
PROVIDERS["openai_structured"] = PROVIDERS["openai"]


@dataclass(frozen=True, slots=True)
class Address:
    """The address and the name of a model."""

    url: str
    model: str


def resolve_address(provider: str, url: str, model: str, key: str) -> Address | None:
    """The configured model, or None. Raises ModelFailed when the configuration is incomplete."""
    name = provider.strip().lower()
    known = PROVIDERS.get(name)
    if url:
        check_url(url)
        return Address(url.rstrip("/"), model or (known.model if known else ""))
    if name in NO_PROVIDER:
        return None
    if known is None:
        meant = spelling.closest_name(name, PROVIDERS)
        raise ModelFailed(
            f"No URL is known for the language model provider {name[:40]!r}.",
            hint=f"{f'Did you mean {meant}? ' if meant else ''}Set COMMONPLACE_LLM_URL.",
        )
    if known.needs_key and not key:
        raise ModelFailed(
            f"The language model provider {name} needs a key.", hint="Set COMMONPLACE_LLM_API_KEY."
        )
    return Address(known.url, model or known.model)


def check_url(url: str) -> str:
    """The URL, if it is a valid http URL. Raises ModelFailed otherwise."""
    try:
        parts = urlsplit(url)
        host = parts.hostname if parts.port != 0 else None
    except ValueError:
        parts, host = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not host:
        raise ModelFailed(
            "The URL of the language model is not an http URL.", hint="Correct COMMONPLACE_LLM_URL."
        )
    return url


def is_local(url: str) -> bool:
    """Whether an address is on this machine."""
    try:
        host = (urlsplit(url).hostname or "").lower()
    except ValueError:
        return False
    return host in ("localhost", "::1") or host.startswith("127.")
