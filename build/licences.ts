import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'

/** Writes the licences of everything that was bundled into one file: the package has no dependencies that would bring them. */
export function collectLicences(target: string): Plugin {
  return {
    name: 'collect-licences',
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type === 'chunk') for (const id of output.moduleIds) remember(id)
      }
    },
    writeBundle() {
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, `# Licences of bundled software\n\n${licences.toSorted().join('\n')}`)
    },
  }
}

const seen = new Set<string>()
const licences: string[] = []

function remember(id: string): void {
  const folder = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
  if (folder === undefined || seen.has(folder)) return
  seen.add(folder)
  licences.push(licenceOf(folder))
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const text = licenceFile(folder) ?? licenceInReadme(folder)
  if (text === undefined) throw new Error(`${name} brings no licence text`)
  return `## ${name} ${version} (${license})\n\n${text.trim()}\n`
}

function licenceFile(folder: string): string | undefined {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8')
}

/* Some packages have it only there, as the last section. */
function licenceInReadme(folder: string): string | undefined {
  const path = join(folder, 'README.md')
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8').split(/^#+ *licen[cs]e *$/im)[1]
  return text !== undefined && /permission/i.test(text) ? text : undefined
}
