import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { anchorOf } from '../../site/anchors.mjs'
import { repository } from './consumer.ts'

/**
 * A fenced block of a page. Its info string says what a reader does with it:
 *
 * - `file=name`: saves it, and runs it unless another block does.
 * - `background`: keeps it running in another terminal. For a text: what that terminal shows by then.
 * - `needs=what`: needs something that no test has, such as a registry or a real key.
 */
export interface Block {
  readonly language: string
  readonly file: string | undefined
  readonly isBackground: boolean
  readonly needs: string | undefined
  readonly code: string
  /** What the block prints: the text block that follows, where `…` stands for anything. */
  readonly printed: string | undefined
}

/** The hand-written guides. */
export const GUIDES = readdirSync(join(repository, 'docs'))
  .filter((name) => name.endsWith('.md') && !['cli.md', 'control-api.md'].includes(name))
  .map((name) => `docs/${name}`)

/** The pages whose programs and commands a reader runs. */
export const PAGES = ['README.md', 'skills/certify/SKILL.md', 'site/landing.md', ...GUIDES]

const OTHERS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'skills/certify/SKILL.md',
  'bench/README.md',
  'site/landing.md',
]
const EXAMPLES = readdirSync(join(repository, 'examples')).map((name) => `examples/${name}/README.md`)
/** Every page whose links are checked. */
export const LINKED = [...OTHERS, 'docs/cli.md', 'docs/control-api.md', ...GUIDES].concat(
  EXAMPLES.filter((path) => existsSync(join(repository, path))),
)

export const read = (page: string): string => readFileSync(join(repository, page), 'utf8')

const FENCE = /^ *```(\w*)([^\n]*)\n([\s\S]*?)^ *```$/gm

export function blocksOf(page: string): readonly Block[] {
  const fences = [...read(page).matchAll(FENCE)]
  return fences.map(([, language = '', info = '', code = ''], index) => {
    const next = fences[index + 1]
    return {
      language,
      file: / file=(\S+)/.exec(info)?.[1],
      isBackground: info.includes(' background'),
      needs: / needs=(\S+)/.exec(info)?.[1],
      code,
      printed: next?.[1] === 'text' ? next[3] : undefined,
    }
  })
}

/** A page without its code blocks. */
export function proseOf(page: string): string {
  return read(page).replaceAll(FENCE, '')
}

/** The links of a page whose file or heading does not exist. */
export function deadLinksOf(page: string): readonly string[] {
  const links = proseOf(page).matchAll(/(?:\]\(| (?:src|srcset|href)=")(?!https?:)([^)"]+)[)"]/g)
  return [...links].map(([, link = '']) => link).filter((link) => !leadsSomewhere(page, link))
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.replace(/\?[^#]*/, '').split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(repository, target))) return false
  return anchor === undefined || headingsOf(target).some((heading) => anchorOf(heading) === anchor)
}

/** The headings of a page, without their marks. */
export function headingsOf(page: string): readonly string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
}

/** The commands in a page, from code blocks and inline code, each as its words. */
export function commandsOf(page: string): readonly (readonly string[])[] {
  const inBlocks = blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.replaceAll('\\\n', ' ').split(/\n|&&|\|\|?|;|\$\(/))
  const inProse = [...proseOf(page).matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
  return [...inBlocks, ...inProse].flatMap((text) => {
    const [, words] = /(?:^|[\s(])(?:npx(?: -y)? certify-sdk|certify) ([a-z-].*)$/s.exec(text.trim()) ?? []
    return words === undefined ? [] : [words.split(/ -- /)[0]?.match(/'[^']*'|"[^"]*"|\S+/g) ?? []]
  })
}
