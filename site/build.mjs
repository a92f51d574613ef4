// Builds the site into site/dist, and says nothing unless something is wrong.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vitepress'
import { writeApiPages } from './api-pages.mjs'
import { llmsFull, llmsIndex } from './llms.mjs'
import { writePages } from './pages.mjs'
import { writePlayground } from './playground.mjs'
import { repository } from './repository.mjs'

const here = import.meta.dirname
const pages = join(here, 'pages')
writePages(pages)
await writeApiPages(join(pages, 'api'))
mkdirSync(join(pages, 'public'), { recursive: true })
writeFileSync(join(pages, 'public/llms.txt'), llmsIndex('site'))
writeFileSync(join(pages, 'public/llms-full.txt'), llmsFull())
copyFileSync(join(repository, 'dist/openapi.json'), join(pages, 'public/openapi.json'))
await writePlayground(join(pages, 'public/playground-files'))
await build(here)
