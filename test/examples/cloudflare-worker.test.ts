import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { testInviting } from './inviting.ts'

const installed = (path: string) => join(import.meta.dirname, 'node_modules', path)

testInviting('cloudflare-worker', { prepare: bundle })

/* Does what wrangler does with wrangler.jsonc: bundles one module, and writes the configuration of workerd. */
function bundle(folder: string): string {
  /* JSON is valid YAML, once the `//` comments are removed. */
  const settings = readFileSync(join(folder, 'wrangler.jsonc'), 'utf8').replaceAll(/^\s*\/\/.*$/gm, '')
  const { main, compatibility_date, durable_objects, vars } = parse(settings) as {
    readonly main: string
    readonly compatibility_date: string
    readonly durable_objects: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] }
    readonly vars: Readonly<Record<string, string>>
  }
  const flags = ['--bundle', '--format=esm', '--platform=neutral', '--external:cloudflare:*', '--outfile=worker.js']
  execFileSync(installed('.bin/esbuild'), [main, ...flags, '--log-level=warning'], { cwd: folder })
  const objects = durable_objects.bindings
  const texts = [...Object.keys(vars), 'CERTIFY_API_KEY', 'CALLBACK_SECRET']
  const bindings = [
    ...objects.map(({ name, class_name }) => `(name = "${name}", durableObjectNamespace = "${class_name}")`),
    ...texts.map((name) => `(name = "${name}", fromEnvironment = "${name}")`),
  ]
  const namespaces = objects.map(
    ({ class_name: name }) => `(className = "${name}", uniqueKey = "${name}", enableSql = true)`,
  )
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "${compatibility_date}",
  bindings = [${bindings.join(', ')}],
  durableObjectNamespaces = [${namespaces.join(', ')}],
  durableObjectStorage = (inMemory = void),
);`,
  )
  return `${installed('workerd/bin/workerd')} serve config.capnp --socket-addr=http=127.0.0.1:$PORT`
}
