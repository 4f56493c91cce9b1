"""Names of tools by kind. Of two tools of one kind, the newer one replaces the older one."""

from collections.abc import Iterable
from functools import lru_cache

from commonplace.language import analyzer

_KINDS = {
    "database": (
        "mysql mariadb postgres postgresql sqlite mongodb oracle cockroachdb duckdb dynamodb"
        " cassandra"
    ),
    "cache": "redis memcached valkey dragonfly",
    "package manager": "npm yarn pnpm bun pip poetry uv pipenv conda",
    "language": (
        "python java rust go golang ruby php kotlin swift scala elixir typescript javascript"
        " haskell perl"
    ),
    "editor": "vim neovim emacs vscode sublime pycharm intellij zed cursor",
    "build server": "jenkins travis circleci buildkite teamcity drone",
    "formatter": "black ruff yapf autopep8 prettier biome",
    "tests": "jest vitest mocha jasmine pytest unittest cypress playwright selenium",
    "bundler": "webpack vite rollup parcel esbuild turbopack",
    "front end": "react vue angular svelte solid preact",
    "host": "heroku netlify vercel fly render hetzner digitalocean linode",
    "cloud": "aws gcp azure",
    "queue": "kafka rabbitmq nats sqs",
    "chat": "slack teams discord mattermost zulip",
    "search": "elasticsearch opensearch solr meilisearch typesense algolia",
    "issues": "jira linear trello asana clickup youtrack",
    "wiki": "confluence notion outline bookstack",
    "mail": "mailgun postmark sendgrid mailchimp",
    "monitoring": "grafana datadog newrelic prometheus sentry",
    "system": "ubuntu debian fedora arch windows macos nixos",
    "phone": "iphone pixel android",
}


@lru_cache(maxsize=1)
def _kind_by_term() -> dict[str, str]:
    return {term: kind for kind, names in _KINDS.items() for term in analyzer.terms(names)}


def kinds_of(terms: Iterable[str]) -> frozenset[str]:
    """The kinds of the tools that some terms name."""
    return frozenset(kind for term in terms if (kind := _kind_by_term().get(term)))
