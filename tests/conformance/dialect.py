"""The conformance dialect: what the suite asks for, as far as a dialect's table can say it. For
tests only.
"""

import time

from commonplace.dialects import parameters
from commonplace.dialects.dialect import Call, Dialect, Prompt, Reply, Resource, rows, tool


@tool("reads", title="Simple text")
def test_simple_text(call: Call) -> Reply:
    """Answers with one text."""
    return said("This is a simple text response for testing.")


@tool("reads", title="Error")
def test_error_handling(call: Call) -> Reply:
    """Always fails."""
    text = "This tool intentionally returns an error for testing"
    return Reply({"error": text}, text, is_error=True)


@tool("reads", title="Progress")
def test_tool_with_progress(call: Call) -> Reply:
    """Tells three times how far it is."""
    for done in (0, 50, 100):
        call.progress(done, 100, f"Completed step {done} of 100")
        time.sleep(0.02)
    return said("Done.")


def said(text: str) -> Reply:
    return Reply({"text": text}, text)


def static_text(call: Call) -> str:
    return "This is the content of the static text resource."


def watched(call: Call) -> str:
    return "Watched resource content"


def template(call: Call, id: str) -> str:
    return f'{{"id": "{id}", "templateTest": true, "data": "Data for ID: {id}"}}'


def simple_prompt(call: Call) -> str:
    return "This is a simple prompt for testing."


def prompt_with_arguments(call: Call, arg1: str, arg2: str) -> str:
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


CONFORMANCE = Dialect(
    name="conformance",
    title="Conformance",
    instructions="Tools for the conformance suite.",
    tools=rows(test_simple_text, test_error_handling, test_tool_with_progress),
    resources=(
        Resource(
            "test://static-text",
            "Static text",
            "A text that never changes.",
            "text/plain",
            static_text,
        ),
        Resource(
            "test://watched-resource", "Watched", "A text one can watch.", "text/plain", watched
        ),
        Resource(
            "test://template/{id}/data",
            "Template",
            "A text with a part.",
            "application/json",
            template,
        ),
    ),
    prompts=(
        Prompt("test_simple_prompt", "Simple", "A prompt without parts.", simple_prompt),
        Prompt(
            "test_prompt_with_arguments",
            "With arguments",
            "A prompt with two parts.",
            prompt_with_arguments,
            parameters.parameters_of(prompt_with_arguments),
        ),
    ),
    completions={"arg1": lambda _call, _typed: ()},
)
