import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { listen } from '../listen.ts'

const repository = join(import.meta.dirname, '../..')

/* The page imports sources, so that types are checked without a build; the published files are what runs. */
const BUILT = [
  ['/src/index.ts', 'dist/index.js'],
  ['/mock-server/index.ts', 'dist/mock/index.js'],
  ['/mock-server/msw.ts', 'dist/mock/msw.js'],
] as const

/** Serves the page together with MSW's worker. */
export async function startSite(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const files = new Map([
    ['/', { type: 'text/html', text: '<!doctype html><script type="module" src="/page.js"></script>' }],
    ['/mockServiceWorker.js', { type: 'text/javascript', text: readFileSync(worker, 'utf8') }],
    ...(await chunksOf(join(import.meta.dirname, 'page.ts'))),
  ])
  const server = createServer(({ url = '' }, response) => {
    const file = files.get(url)
    response.writeHead(file ? 200 : 404, { 'content-type': file?.type ?? 'text/plain' }).end(file?.text)
  })
  const { port, close } = await listen(server)
  return { url: `http://127.0.0.1:${port}/`, close }
}

const worker = join(repository, 'node_modules/msw/lib/mockServiceWorker.js')

/* In chunks: the listener, which needs Node.js, is one that nothing here loads. */
async function chunksOf(input: string): Promise<[string, { type: string; text: string }][]> {
  const bundle = await rolldown({
    input,
    platform: 'browser',
    external: /^node:/,
    plugins: [
      {
        name: 'built',
        resolveId: (source) => {
          const [, built] = BUILT.find(([path]) => source.endsWith(path)) ?? []
          return built === undefined ? undefined : join(repository, built)
        },
      },
    ],
  })
  const { output } = await bundle.generate()
  await bundle.close()
  return output.flatMap((file) =>
    file.type === 'chunk' ? [[`/${file.fileName}`, { type: 'text/javascript', text: file.code }]] : [],
  )
}
