import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'

/** Writes the licences of all bundled code into one file: the package has no dependencies that would bring them. */
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
      const sections = Array.from(licences, ([text, headings]) => `${headings.toSorted().join('\n')}\n\n${text}\n`)
      writeFileSync(target, `# Licences of bundled software\n\n${sections.toSorted().join('\n')}`)
    },
  }
}

const seen = new Set<string>()
/** The headings of each text: many packages have the same one. */
const licences = new Map<string, string[]>()

function remember(id: string): void {
  const folder = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
  if (folder === undefined || seen.has(folder)) return
  seen.add(folder)
  const { heading, text } = licenceOf(folder)
  licences.set(text, [...(licences.get(text) ?? []), heading])
}

interface Licence {
  readonly heading: string
  readonly text: string
}

function licenceOf(folder: string): Licence {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const text = licenceFile(folder) ?? licenceInReadme(folder)
  if (text === undefined) throw new Error(`${name} brings no licence text`)
  return { heading: `## ${name} ${version} (${license})`, text: text.trim() }
}

function licenceFile(folder: string): string | undefined {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8')
}

/* Some packages have their licence only there, as the last section. */
function licenceInReadme(folder: string): string | undefined {
  const path = join(folder, 'README.md')
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8').split(/^#+ *licen[cs]e *$/im)[1]
  return text !== undefined && /permission/i.test(text) ? text : undefined
}
