"""The plugin that runs our hooks in opencode, which takes JavaScript and no commands."""

import json
from collections.abc import Sequence

MARK = "// Made by `commonplace hooks install opencode`."

_SOURCE = r"""
// It starts the program below at each event of a session and hands over JSON. Nothing that goes
// wrong there reaches opencode. `commonplace hooks remove opencode --write` removes this file.
import { spawn } from "node:child_process"

const PROGRAM = %s
const LIMIT_MS = 12_000

function hook(event, payload) {
  return new Promise((resolve) => {
    try {
      const args = [...PROGRAM.slice(1), "hook", event, "--client", "opencode"]
      const child = spawn(PROGRAM[0], args, { stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => { child.kill(); resolve({}) }, LIMIT_MS)
      let out = ""
      child.stdout.on("data", (data) => { out += data })
      child.on("error", () => { clearTimeout(timer); resolve({}) })
      child.on("close", () => {
        clearTimeout(timer)
        try { resolve(JSON.parse(out) ?? {}) } catch { resolve({}) }
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch { resolve({}) }
  })
}

// Outlives opencode, which may end with the turn.
function later(event, payload) {
  try {
    const args = [...PROGRAM.slice(1), "hook", event, "--client", "opencode"]
    const options = { stdio: ["pipe", "ignore", "ignore"], detached: true }
    const child = spawn(PROGRAM[0], args, options)
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
    child.unref()
  } catch {}
}

const textOf = (parts) => (parts ?? [])
  .filter((part) => part.type === "text" && !part.synthetic)
  .map((part) => part.text).join("\n")

export const Commonplace = async ({ client, directory }) => {
  const briefs = new Map()
  const recalled = new Map()
  const children = new Set()
  const payload = (id, more) => ({ session_id: id, cwd: directory, ...more })

  async function start(id, source) {
    const answer = await hook("session-start", payload(id, { source }))
    briefs.set(id, answer.context ?? "")
    recalled.set(id, [])
  }

  async function lastAnswer(id) {
    const found = await client.session.messages({ path: { id } })
    const last = (found.data ?? []).filter((one) => one.info.role === "assistant").at(-1)
    return last ? { text: textOf(last.parts), turn_id: last.info.id } : { text: "" }
  }

  return {
    "chat.message": async (input, output) => {
      const id = input.sessionID
      if (!id || children.has(id)) return
      if (!briefs.has(id)) await start(id, "startup")
      const answer = await hook("prompt", payload(id, { prompt: textOf(output.parts) }))
      if (answer.context) recalled.get(id).push(answer.context)
      // The end of the turn may never come: `opencode run` ends before it.
      later("stop", payload(id, {}))
    },
    "experimental.chat.system.transform": async (input, output) => {
      const id = input.sessionID
      if (!briefs.has(id)) return
      output.system.push(...[briefs.get(id), ...recalled.get(id)].filter(Boolean))
    },
    "experimental.session.compacting": async (input) => {
      if (!children.has(input.sessionID)) await hook("pre-compact", payload(input.sessionID, {}))
    },
    event: async ({ event }) => {
      const info = event.properties?.info
      const id = event.properties?.sessionID ?? info?.id
      if (event.type === "session.created" && info?.parentID) children.add(info.id)
      if (!id || children.has(id)) return
      if (event.type === "session.idle") {
        const { text, turn_id } = await lastAnswer(id).catch(() => ({ text: "" }))
        later("stop", payload(id, { last_assistant_message: text, turn_id }))
      }
      if (event.type === "session.compacted") await start(id, "compact")
      if (event.type === "session.deleted") await hook("session-end", payload(id, {}))
    },
  }
}
"""


def source(program: Sequence[str]) -> str:
    """The text of the plugin."""
    return MARK + _SOURCE % json.dumps(list(program))
