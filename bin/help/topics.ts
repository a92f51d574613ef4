import { LEDGER_VARIABLES } from '../config/ledger.ts'
import { SETTINGS } from '../config/settings.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { wrap } from './wrap.ts'

/** What there is to read beside the commands. */
export const TOPICS: Readonly<Record<string, { readonly summary: string; readonly text: (width?: number) => string }>> =
  {
    environment: { summary: 'the variables of the environment', text: environment },
    'exit-codes': { summary: 'what the exit codes mean', text: exitCodes },
    output: { summary: 'what is printed where, and how', text: output },
    errors: { summary: 'how failures are reported', text: errors },
    scripting: { summary: 'the program in scripts and in CI', text: scripting },
  }

/** The text of a topic; `undefined` where there is none of this name. */
export function topicText(name: string, width: number): string | undefined {
  return Object.hasOwn(TOPICS, name) ? `${TOPICS[name]?.text(width).trimEnd()}\n` : undefined
}

function environment(width?: number): string {
  const flags = Object.values(SETTINGS).map(({ flags: flag, variable, summary }) => {
    const values = flag.includes('<') ? '' : ' (1 or 0)'
    return [variable, `${flag}${values}: ${summary}`] as const
  })
  const first =
    'A flag overrides the environment, the environment the profile, and the profile the default. An empty variable counts ' +
    'as not set.'
  return `${wrap(first, '', width)}\n\n${definitions([...KEY_VARIABLES, ...flags, ...CONVENTIONS], width)}`
}

function exitCodes(width?: number): string {
  const codes = definitions(
    Object.entries(EXIT_CODES).map(([code, meaning]) => [code.padStart(3), meaning]),
    width,
  )
  const passedOn = '`certify mock exec` passes on that of its command; it has 126 and 127 where that cannot be run.'
  return `${codes}\n\n${wrap(passedOn, '', width)}`
}

function output(width?: number): string {
  return paragraphs(
    [
      'Data goes to stdout, everything else to stderr.',
      'On a terminal lists are tables that fit its width: quizzes and addresses may be cut in the middle, and columns left ' +
        'out; invite ids, references and links are never cut. Into a pipe the same rows are tab-separated, whole and without a heading. --json prints one JSON document on any stdout; an empty list is ' +
        '[] with exit code 0. certify bulk alone prints one JSON object a line: one for each row, as it is done, with ' +
        '"type":"row", and a last one with "type":"summary". --fields a,b keeps some of its fields. --quiet prints identifiers only, one a line.',
      'The link of an invite is printed whole when it is created. With --no-send-email that is its only copy: --quiet ' +
        'and --fields that would leave it out are refused.',
      'Colours are for terminals: --color always and --color never override NO_COLOR, that overrides FORCE_COLOR, and ' +
        'TERM=dumb means none. Text of the service is stripped of control sequences; in JSON they are escaped.',
      'Lists of what the ledger has are written row by row, however long they are. Their links are masked, with --json ' +
        'too, unless --show-links is given.',
      'certify bulk prints its plan, its progress and its end to stderr, without --json; its dry run prints the rows as they ' +
        'are planned. Tables that it writes keep spreadsheets from reading a value as a formula: what begins with = + - @ ' +
        "or a control character gets a ' in front, which bulk takes away again when it reads such a file.",
      'Any other dry run prints the request that would be sent, without the key; it sends and records nothing.',
    ],
    width,
  )
}

function errors(width?: number): string {
  return `${paragraphs(
    [
      'A failure is reported on stderr in two parts: what happened and how to fix it. With --json it is one JSON object on ' +
        'stderr: {"error":{"code","message","hint","exitCode",…}}, and for a request also outcome, operation, reference, ' +
        'requestId, status, apiCode, apiMessages, possibleReasons, issues, prior and partial, where there is something to say.',
      'The outcome is not-executed (nothing was created), unknown (it may have been created: do not repeat the command ' +
        'before somebody has checked) or executed (it was created, but the answer could not be read: save what came).',
      'apiMessages are the words of the service; they may repeat the data of a candidate. Codes beside those of the ' +
        'service:',
    ],
    width,
  )}\n\n${definitions(OWN_CODES, width)}`
}

function scripting(width?: number): string {
  return `${paragraphs(
    [
      'Look at the exit code before you repeat a create: after 6 somebody has to check first, after 7 it can be run ' +
        'again, after 2, 4 and 5 something has to be corrected. The service does not refuse a second invite.',
      'With --ledger or CERTIFY_LEDGER=yes it is safe to run the same create again: what was invited, or may have been, is ' +
        'refused with 5, and --if-invited reuse prints the invite that is recorded. Several machines have several ledgers, ' +
        'and none sees what another has sent.',
      'Nothing is asked without a terminal on stdin and stderr, with --no-input, or where CI is set. What has to be ' +
        'confirmed at a terminal then needs --yes. Keys come from ' +
        'CERTIFY_API_KEY, from the file that CERTIFY_API_KEY_FILE names, or from a profile; never from the command line.',
      'A table is for people: use --json, --quiet or the tab-separated rows of a pipe.',
    ],
    width,
  )}

Examples:
  $ certify tracks list --quiet | xargs -n 1 certify tracks view --json
  $ certify invites create --quiz-id "$QUIZ" --email "$EMAIL" --json > invite.json
  $ certify package-invites create --package-id "$PACKAGE" --email "$EMAIL" \\
      --no-send-email --json | jq -r '.invites[].challengeUrl'
  $ certify invites create --quiz-id "$QUIZ" --email "$EMAIL" \\
      --ledger "$PWD/invites.ledger" --if-invited reuse --json
  $ certify invites list --state unknown --json
  $ certify doctor --json > doctor.json`
}

type Definitions = readonly (readonly [term: string, meaning: string])[]

function definitions(list: Definitions, full?: number): string {
  const width = Math.min(24, Math.max(...list.map(([term]) => term.length)) + 2)
  const indent = ' '.repeat(width)
  return list.map(([term, meaning]) => wrap(`${term.padEnd(width - 1)} ${meaning}`, indent, full)).join('\n')
}

function paragraphs(list: readonly string[], width?: number): string {
  return list.map((each) => wrap(each, '', width)).join('\n\n')
}

const KEY_VARIABLES: Definitions = [
  ['CERTIFY_API_KEY', 'the API key; overrides the one of a profile'],
  ['CERTIFY_API_KEY_FILE', 'the path of a file that holds the key'],
  [
    LEDGER_VARIABLES.path,
    'the path of the ledger, or yes for the default place: creates go through it then; --ledger overrides it',
  ],
  [
    LEDGER_VARIABLES.account,
    'a name for the account of the key, the same for all its keys; --account overrides it; default: default',
  ],
  ['CERTIFY_CONTROL_TOKEN', 'the token that the page and the control API of `certify mock` ask for'],
  ['CERTIFY_CONFIG_DIR', 'the folder of profiles and keys, in place of certify in XDG_CONFIG_HOME or APPDATA'],
  [
    'XDG_STATE_HOME',
    'where the ledger is by default, in certify/ledger.sqlite; ~/.local/state or LOCALAPPDATA without it',
  ],
]

const CONVENTIONS: Definitions = [
  ['NO_COLOR', 'no colours, whatever its value'],
  ['FORCE_COLOR', 'colours into pipes too; 0 means none'],
  ['CI', 'set in CI: nothing is asked'],
  ['HTTPS_PROXY, HTTP_PROXY', 'the proxy to go through, over http or https; never to localhost, 127.0.0.0/8 or [::1]'],
  ['NO_PROXY', 'the hosts to go to without it'],
  ['NODE_EXTRA_CA_CERTS', 'a file with certificates of authorities to trust as well'],
]

const OWN_CODES: Definitions = [
  ['USAGE', 'the command line is not right'],
  ['CONFIG_INVALID', 'a setting, a file of the configuration or the key is missing or not right'],
  ['INPUT_INVALID', 'a value that would be sent is not right'],
  ['INPUT_NEEDED', 'an answer is needed, and nobody can be asked'],
  ['CANCELLED', 'you did not confirm'],
  ['FILE_INVALID', 'a file of rows cannot be read as it is'],
  ['ROWS_INVALID', 'rows of a file are not valid, and nothing was sent'],
  ['ROWS_FAILED', 'bulk came to its end, but some rows failed, were refused or left out'],
  ['ROWS_UNKNOWN', 'the outcome of some rows is unknown'],
  ['ABORTED', 'you interrupted it'],
  ['NOT_FOUND', 'there is no such thing'],
  ['ALREADY_INVITED', 'the ledger has an open invite; prior has its id, age and expiry, and never its link'],
  [
    'PRIOR_OUTCOME_UNKNOWN',
    'the ledger has a send that may have created one; certify invites resolve records what became of it',
  ],
  ['LEDGER_UNUSABLE', 'the ledger cannot be read or written: nothing is sent'],
  ['CHECKS_FAILED', 'doctor found something'],
  ['COMMAND_NOT_RUN', 'the command of mock exec could not be started'],
  ['OUTPUT_FAILED', 'what was to be printed could not be written'],
  ['INTERNAL', 'a fault of this program: please report it'],
]
