// One conversation of an official TypeScript client with a server; what it saw goes to standard output as JSON.
// node typescript.mjs '{"library": "sdk" | "client", "mode": "legacy" | "auto", "url": … | "command": […], "calls": [[name, arguments], …]}'

const asked = JSON.parse(process.argv[2]);
const { Client, Http, Stdio } = await library(asked.library);
const options = asked.mode === 'auto' ? { versionNegotiation: { mode: 'auto' } } : {};
const client = new Client({ name: 'interop', version: '1' }, { capabilities: {}, ...options });
const transport = asked.url
  ? new Http(new URL(asked.url))
  : new Stdio({ command: asked.command[0], args: asked.command.slice(1), env: process.env, stderr: 'inherit' });
await client.connect(transport);

const { tools } = await client.listTools();
const results = [];
for (const [name, args] of asked.calls) {
  results.push(await client.callTool({ name, arguments: args }));
}
let refused = null;
try {
  const answer = await client.callTool({ name: 'no_such_tool', arguments: {} });
  refused = answer.isError ? 'result' : null;
} catch (error) {
  refused = String(error.code ?? error.message);
}
const said = {
  version: transport.protocolVersion ?? client.getNegotiatedProtocolVersion?.() ?? transport._protocolVersion ?? null,
  server: client.getServerVersion()?.name,
  instructions: client.getInstructions() ?? '',
  tools: tools.map((tool) => tool.name),
  results: results.map((one) => ({ text: one.content?.[0]?.text, structured: one.structuredContent, error: one.isError })),
  refused,
};
process.stdout.write(JSON.stringify(said));
await client.close();

async function library(name) {
  if (name === 'sdk') {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    return { Client, Http: StreamableHTTPClientTransport, Stdio: StdioClientTransport };
  }
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  return { Client, Http: StreamableHTTPClientTransport, Stdio: StdioClientTransport };
}
