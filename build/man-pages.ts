import type { CommandDescription, CommandDescriptions, FlagDescription } from '../bin/help/describe-commands.ts'
import { outputParagraphs } from '../bin/help/manual.ts'
import { TOPICS } from '../bin/help/topics.ts'
import { bold, code, escaped, italic, prose } from './roff.ts'

interface ManPage {
  readonly file: string
  readonly text: string
}

/** The manual pages, from the tree that the help comes from: certify(1), and one for each command. */
export function manPages({ flags, commands }: CommandDescriptions, version: string): readonly ManPage[] {
  return [
    { file: 'certify.1', text: programPage(flags, commands, version) },
    ...commands.map((command) => ({
      file: `${pageOf(command.name)}.1`,
      text: commandPage(command, commands, version),
    })),
  ]
}

const pageOf = (name: string) => `certify-${name.replaceAll(' ', '-')}`

function programPage(flags: CommandDescriptions['flags'], commands: readonly CommandDescription[], version: string) {
  return page('certify', version, [
    ['NAME', `certify ${DASH} invite candidates to skill certifications`],
    ['SYNOPSIS', `${bold('certify')} ${italic('command')} [${italic('argument')}...] [${italic('option')}...]`],
    ['DESCRIPTION', paragraphs(DESCRIPTION)],
    ['COMMANDS', terms(commands.map(({ name, summary }) => [bold(`certify ${name}`), prose(`${summary}.`)]))],
    ['OPTIONS', `${paragraphs([OPTIONS])}\n${flagTerms(flags)}`],
    ...Object.entries(HEADINGS).map(([topic, heading]) => [heading, topicSection(topic)] as const),
    ['FILES', terms(FILES.map(([path, what]) => [code(path), prose(what)]))],
    ['SECURITY', paragraphs(SECURITY)],
    ['SEE ALSO', seeAlso(commands.map(({ name }) => pageOf(name)))],
  ])
}

function commandPage(command: CommandDescription, commands: readonly CommandDescription[], version: string): string {
  const { name, summary, flags, manual, refuses } = command
  const words =
    manual.usage ?? [...command.arguments.map(argument), ...(flags.length > 0 ? ['[options]'] : [])].join(' ')
  const [group] = name.split(' ')
  const siblings = commands.filter((each) => each !== command && each.name.split(' ')[0] === group)
  const options = [
    ...command.arguments.map((each) => [italic(`<${each.name}>`), prose(`${each.summary}.`)] as const),
    ...flags.map((flag) => [code(flag.flags), prose(`${flag.summary}.`)] as const),
  ]
  const excepted = refuses.length === 0 ? '' : `, except ${refuses.map((flag) => `\`${flag}\``).join(', ')}`
  return page(pageOf(name), version, [
    ['NAME', `${escaped(pageOf(name))} ${DASH} ${prose(summary)}`],
    ['SYNOPSIS', `${bold(`certify ${name}`)} ${escaped(words)}`.trimEnd()],
    [
      'DESCRIPTION',
      paragraphs([
        ...(manual.scope === undefined ? [] : [`Needs a key with the scope ${manual.scope}.`]),
        ...(manual.notes ?? [`${summary[0]?.toUpperCase()}${summary.slice(1)}.`]),
      ]),
    ],
    ['OPTIONS', `${terms(options)}${paragraphs([`It also takes the common options of certify(1)${excepted}.`])}`],
    ['OUTPUT', paragraphs(outputParagraphs(manual))],
    ['EXAMPLES', literal(manual.examples.map((example) => `$ ${example.replaceAll('\n', '\n    ')}`).join('\n'))],
    ['SEE ALSO', seeAlso(['certify', ...siblings.map((each) => pageOf(each.name))])],
  ])
}

type Section = readonly [heading: string, body: string]

/* Without hyphens and without stretched lines: commands and names must be copied as they are. */
function page(name: string, version: string, sections: readonly Section[]): string {
  const head = `.TH "${escaped(name.toUpperCase())}" 1 "" "certify\\-sdk ${escaped(version)}" "certify"\n.nh\n.ad l\n`
  /* A heading begins a paragraph itself. */
  return head + sections.map(([heading, body]) => `.SH ${heading}\n${body.replace(/^\.PP\n/, '').trimEnd()}\n`).join('')
}

function paragraphs(texts: readonly string[]): string {
  return texts.map((text) => `.PP\n${prose(text)}\n`).join('')
}

/* The term and its meaning have gone through the functions of roff.ts. */
function terms(list: readonly (readonly [term: string, meaning: string])[]): string {
  return list.map(([term, meaning]) => `.TP\n${term}\n${meaning}\n`).join('')
}

/* With the small indentation of the help, for which the examples are short enough. */
function literal(text: string): string {
  return `.PP\n.nf\n.in 2n\n${text.split('\n').map(escaped).join('\n')}\n.in\n.fi\n`
}

function flagTerms(flags: readonly FlagDescription[]): string {
  return terms(
    flags.map(({ flags: flag, summary, variable }) => [
      code(flag),
      prose(`${summary}${variable === undefined ? '' : ` (${variable})`}.`),
    ]),
  )
}

function argument({ name, required }: CommandDescription['arguments'][number]): string {
  return required ? `<${name}>` : `[${name}]`
}

function topicSection(name: string): string {
  const { parts, examples = '' } = TOPICS[name] ?? { parts: () => [] }
  const body = parts().map((part) =>
    typeof part === 'string'
      ? paragraphs([part])
      : terms(part.map(([term, meaning]) => [bold(term.trim()), prose(`${meaning}.`)])),
  )
  /* Without the line that says what they are, and its indentation. */
  const lines = examples.split('\n').slice(1).join('\n').replaceAll(/^ {2}/gm, '')
  return body.join('') + (lines === '' ? '' : literal(lines))
}

function seeAlso(pages: readonly string[]): string {
  return pages.map((name) => `${bold(name)}(1)`).join(', ')
}

const DASH = '\\-'

/* In the usual order of sections. */
const HEADINGS = {
  output: 'OUTPUT',
  errors: 'ERRORS',
  'exit-codes': 'EXIT STATUS',
  environment: 'ENVIRONMENT',
  scripting: 'SCRIPTS',
}

const DESCRIPTION = [
  'Invites candidates to skill certifications, and lists what there is to be certified in. `certify mock` runs the whole ' +
    'service on this machine, to try it without an account; `--profile sandbox` uses it.',
  'The specification of the service shows no operation that lists, reads or cancels invites, and a second invite is not ' +
    'refused. So no create is ever repeated once it may have been executed, and the exit code says what became of it.',
]

const OPTIONS =
  'Every command takes these options, in front of it or behind it; its page names the exceptions. An option overrides its ' +
  'variable, that the profile, and that the default.'

const FILES: readonly (readonly [path: string, what: string])[] = [
  ['~/.config/certify/config.json', 'profiles; no secrets. CERTIFY_CONFIG_DIR or XDG_CONFIG_HOME name another folder.'],
  ['~/.config/certify/credentials.json', 'the key of each profile. Only you can read it.'],
  ['~/.config/certify/callback-secrets.json', 'the secrets of callback URLs. Only you can read it.'],
  ['~/.local/state/certify/ledger.sqlite', 'the default ledger: names, addresses and links, unencrypted.'],
  ['~/.cache/certify/', 'names of tracks, packages and quizzes, for completion. It can be deleted.'],
  ['~/.pg_service.conf, ~/.pgpass', 'services and passwords of Postgres.'],
]

const SECURITY = [
  'No key, and no password of a database, is ever an argument: other users of a machine can read the arguments of a process. ' +
    'Use `certify auth login`, CERTIFY_API_KEY_FILE with a file that only you can read, or CERTIFY_API_KEY.',
  'A challenge link is a secret of its candidate: whoever has it can use it. It is printed once, when the invite is created. ' +
    'Lists mask it, unless `--show-links` is given.',
  'The ledger has personal data and links, unencrypted. Its file can be read only by you. `certify ledger purge` removes ' +
    'what you no longer need.',
]
