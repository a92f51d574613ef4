import { CALLBACK_VARIABLES } from '../config/callback-settings.ts'
import { LEDGER_VARIABLES } from '../config/ledger.ts'
import { SETTINGS } from '../config/settings.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { wrap } from './wrap.ts'

interface Topic {
  readonly summary: string
  readonly parts: () => readonly (string | Definitions)[]
  readonly examples?: string
}

/** The text of a topic; `undefined` if there is none of this name. */
export function topicText(name: string, width?: number): string | undefined {
  const topic = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined
  if (topic === undefined) return undefined
  const parts = topic
    .parts()
    .map((part) => (typeof part === 'string' ? wrap(part, '', width) : definitions(part, width)))
  return `${[...parts, ...(topic.examples === undefined ? [] : [topic.examples])].join('\n\n')}\n`
}

export const TOPICS: Readonly<Record<string, Topic>> = {
  environment: {
    summary: 'the variables of the environment',
    parts: () => [
      'A flag overrides the environment, the environment the profile, and the profile the default. An empty variable counts ' +
        'as not set.',
      [...KEY_VARIABLES, ...settingVariables(), ...CONVENTIONS],
      NO_TELEMETRY,
    ],
  },
  'exit-codes': {
    summary: 'what the exit codes mean',
    parts: () => [
      Object.entries(EXIT_CODES).map(([code, meaning]) => [code.padStart(3), meaning]),
      '`certify mock exec` has the exit code of its command, or 126 and 127 if that cannot be run.',
    ],
  },
  output: {
    summary: 'what is printed where, and how',
    parts: () => [
      'Data goes to stdout, everything else to stderr.',
      'On a terminal lists are tables that fit its width: quizzes and addresses may be cut in the middle, and columns left ' +
        'out; invite ids, references and links are never cut. Into a pipe the same rows are tab-separated, complete and ' +
        'without a heading. --json prints one JSON document on any stdout; an empty list is [] with exit code 0. certify ' +
        'callbacks listen prints one JSON object a line. So does certify bulk: one for each row, as it is done, with ' +
        '"type":"row", and a last one with "type":"summary". --fields a,b selects fields. --quiet prints identifiers only, ' +
        'one a line.',
      '--jq runs the program jq, which has to be installed, on the whole JSON document: texts are printed without quotes, and ' +
        'everything else on one line, or indented on a terminal. It is for commands that read and for creates. The filter is ' +
        'checked before anything is sent, and the exit code stays that of certify, which a pipe into jq hides. If the ' +
        'filter fails on the response of a create, or leaves out the link with --no-send-email and without a ledger, the whole ' +
        'response is printed to stderr, and the exit code is 6. A dry run of a create prints the whole request.',
      'The link of an invite is printed in full when it is created. With --no-send-email and without a ledger that ' +
        'is its only copy: --quiet and --fields that would leave it out are refused.',
      'Colours are for terminals: --color always and --color never override NO_COLOR, that overrides FORCE_COLOR, and ' +
        'TERM=dumb means none. Control sequences are removed from texts of the service; in JSON they are escaped. Into a ' +
        'pipe, --jq prints them as jq does.',
      'Lists of the ledger are written row by row, however long they are, but not with --jq. Their links are masked, also ' +
        'with --json, unless --show-links is given.',
      'Without --json, certify bulk prints its plan, its progress and its summary to stderr; its dry run prints the planned ' +
        'rows. Its tables protect spreadsheets from formulas: a value that begins with = + - @ or a control character ' +
        "gets a ' in front, which bulk removes when it reads such a file.",
      'watch gives a command a pipe: CERTIFY_FORCE_TTY=$COLUMNS makes its lists tables again.',
      'A dry run of certify invites resolve ends with its plan. Any other one prints the request without the key and the token of a callback URL; it sends ' +
        'and records nothing.',
    ],
  },
  errors: {
    summary: 'how failures are reported',
    parts: () => [
      'A failure is reported on stderr in two parts: what happened and how to fix it. With --json it is one JSON object on ' +
        'stderr: {"error":{"code","message","hint","exitCode",…}}, and for a request also outcome, operation, reference, ' +
        'requestId, status, apiCode, apiMessages, possibleReasons, issues, prior and partial, if they have a value.',
      'The outcome is not-executed (nothing was created), unknown (it may have been created: do not repeat the command ' +
        'before somebody has checked) or executed (it was created, but the response could not be read: save what came).',
      'apiMessages are the messages of the service; they may contain personal data.',
      'Each code of a request or of the ledger has a page in the package, docs/errors/<CODE>.md: what it means for the ' +
        'candidate, and what to do. Codes beside those of the service:',
      OWN_CODES,
    ],
  },
  scripting: {
    summary: 'the program in scripts and in CI',
    parts: () => [
      'Look at the exit code before you repeat a create: after 6 somebody has to check first, after 7 it can be run ' +
        'again, after 2, 4 and 5 something has to be corrected. The service does not refuse a second invite.',
      'With --ledger or CERTIFY_LEDGER=yes it is safe to run the same create again: a candidate with an open or unknown ' +
        'invite is refused with 5, and --if-invited reuse prints the recorded invite. Machines with a ledger file each do not ' +
        'see what another has sent: let them share one in Postgres.',
      'There are no questions without a terminal on stdin and stderr, with --no-input, or if CI is set. What has to be ' +
        'confirmed at a terminal then needs --yes. Keys come from CERTIFY_API_KEY, from the file that ' +
        'CERTIFY_API_KEY_FILE names, or from a profile; never from the command line.',
      'A table is for people: use --json, --quiet or the tab-separated rows of a pipe.',
    ],
    examples: `Examples:
  $ certify tracks list --quiet | xargs -n 1 certify tracks view --json
  $ certify invites create --quiz-id "$QUIZ" --email "$EMAIL" \\
      --json > invite.json
  $ certify package-invites create --package-id "$PACKAGE" --email "$EMAIL" \\
      --no-send-email --jq '.invites[].challengeUrl'
  $ certify invites create --quiz-id "$QUIZ" --email "$EMAIL" \\
      --ledger "$PWD/invites.ledger" --if-invited reuse --json
  $ certify invites list --state unknown --json
  $ watch 'CERTIFY_FORCE_TTY=$COLUMNS certify invites list --limit 20'
  $ certify invites resolve --from found.csv --yes --json
  $ certify doctor --json > doctor.json`,
  },
}

function settingVariables(): Definitions {
  return Object.values(SETTINGS).flatMap(({ flags, variable, summary }) => {
    return variable === undefined ? [] : [[variable, `${flags}${flags.includes('<') ? '' : ' (1 or 0)'}: ${summary}`]]
  })
}

type Definitions = readonly (readonly [term: string, meaning: string])[]

function definitions(list: Definitions, full?: number): string {
  const width = Math.min(24, Math.max(...list.map(([term]) => term.length)) + 2)
  const indent = ' '.repeat(width)
  return list.map(([term, meaning]) => wrap(`${term.padEnd(width - 1)} ${meaning}`, indent, full)).join('\n')
}

const NO_TELEMETRY =
  'There is no telemetry, and no look for updates: requests go to the base URL, through the proxy that is set. A ledger in ' +
  'Postgres, and the address of certify callbacks listen --forward-to, are contacted if you name them; `certify mock` ' +
  'delivers callbacks.'

const KEY_VARIABLES: Definitions = [
  ['CERTIFY_API_KEY', 'the API key; overrides the one of a profile'],
  ['CERTIFY_API_KEY_FILE', 'the path of a file with the key'],
  [
    LEDGER_VARIABLES.path,
    'the path of the ledger, or yes for the default place: creates are recorded in it then; --ledger overrides it',
  ],
  [
    LEDGER_VARIABLES.account,
    'a name for the account of the key, the same for all its keys; --account overrides it; default: default',
  ],
  [
    CALLBACK_VARIABLES.baseUrl,
    'the public address of your receiver of events; overrides callbackBaseUrl of the profile; --callback-base-url overrides it',
  ],
  [
    CALLBACK_VARIABLES.secret,
    'the secret of callback URLs, 32 characters or more; several one a line, the newest first; default: one of the profile',
  ],
  [CALLBACK_VARIABLES.secretFile, 'the path of a file with it'],
  ['CERTIFY_CONTROL_TOKEN', 'the token of the page and the control API of `certify mock`'],
  ['CERTIFY_FORCE_TTY', 'print to a pipe or a file as to a terminal; a number sets its width, else it is 80'],
  ['CERTIFY_CONFIG_DIR', 'the folder of profiles and keys, in place of certify in XDG_CONFIG_HOME or APPDATA'],
  [
    'XDG_STATE_HOME',
    'the folder of the default ledger, certify/ledger.sqlite; default: ~/.local/state or LOCALAPPDATA',
  ],
]

const CONVENTIONS: Definitions = [
  ['NO_COLOR', 'no colours, whatever its value'],
  ['FORCE_COLOR', 'colours into pipes too; 0 means none'],
  ['CI', 'set in CI: no questions'],
  ['BROWSER', 'the program of certify open, with its arguments; it gets the address at its end, or in place of %s'],
  [
    'HTTPS_PROXY, HTTP_PROXY, ALL_PROXY',
    'the proxy to go through, over http or https; never to localhost, 127.0.0.0/8 or [::1]',
  ],
  ['NO_PROXY', 'the hosts to reach without it'],
  ['NODE_EXTRA_CA_CERTS', 'a file with certificates of more authorities to trust'],
]

const OWN_CODES: Definitions = [
  ['USAGE', 'the command line is invalid'],
  ['CONFIG_INVALID', 'a setting, a configuration file or the key is missing or invalid'],
  ['INPUT_INVALID', 'a value to be sent is invalid'],
  ['INPUT_NEEDED', 'an answer is needed, and no question is possible'],
  ['CANCELLED', 'you did not confirm'],
  ['FILE_INVALID', 'a file of rows cannot be read'],
  [
    'ROWS_INVALID',
    'some rows are not valid, and nothing was sent or recorded; counts, and rows with the issues of the first 20',
  ],
  ['ROWS_FAILED', 'bulk or invites resolve finished, but some rows failed, were refused or left out'],
  ['ROWS_UNKNOWN', 'the outcome of some rows is unknown'],
  ['ABORTED', 'you interrupted it'],
  ['NOT_FOUND', 'it does not exist'],
  ['ALREADY_INVITED', 'the ledger has an open invite; prior has its id, age and expiry, and never its link'],
  [
    'PRIOR_OUTCOME_UNKNOWN',
    'the ledger has a send that may have created one; certify invites resolve records what became of it',
  ],
  ['IN_PROGRESS', 'another call is inviting this candidate: run it again in a few seconds'],
  ['LEDGER_UNUSABLE', 'the ledger cannot be read or written: nothing is sent'],
  [
    'CLOCK_SKEW',
    'the clock of this machine is more than five minutes from that of the service, or behind the ledger: nothing is sent',
  ],
  ['CHECKS_FAILED', 'a check of doctor failed'],
  ['COMMAND_NOT_RUN', 'the command of mock exec, or a browser, could not be started'],
  ['OUTPUT_FAILED', 'the output could not be written'],
  ['INTERNAL', 'a fault of this program: please report it'],
]
