import { CellFault, fileError } from '../table/faults.ts'
import { headingKey, Headings } from '../table/headings.ts'
import { digitsOf, isNumber } from '../table/json.ts'
import type { FileRow } from '../table/file.ts'
import { rowCount } from '../terminal/text.ts'

/*
 * Columns that decide who is invited, by what "yes" in them means. In English, German, French, Spanish, Italian,
 * Portuguese, Dutch and Japanese.
 */
const DECISIONS = new Headings({
  invite:
    'invite toinvite tobeinvited shouldinvite sendinvite sendinvitation sendtest send tosend include included eligible ' +
    'qualified approved approve active optin subscribed proceed shortlisted selected ' +
    'einladen senden versenden verschicken freigegeben genehmigt geeignet aktiv zustimmung ausgewahlt ' +
    'inviter envoyer eligible approuve actif selectionne retenu ' +
    'invitar enviar elegible aprobado activo seleccionado apto ' +
    'invitare inviare idoneo approvato attivo consenso selezionato ' +
    'convidar elegivel aprovado ativo selecionado ' +
    'uitnodigen versturen verzenden geschikt goedgekeurd actief geselecteerd 招待 招待する 送信 送信する',
  leave_out:
    'dnc nocontact noemail noinvite excluded exclude rejected declined blocked suppressed suppress skip ignore onhold cancelled ' +
    'canceled deleted inactive archived invited alreadyinvited invitesent invitationsent alreadytested ' +
    'nichtsenden keineemail keinemail zuruckgezogen zurueckgezogen abgelehnt ausgeschlossen gesperrt inaktiv geloscht ' +
    'abgesagt eingeladen retire exclu rejete refuse bloque inactif ' +
    'annule dejainvite ' +
    'retirado dadodebaja excluido rechazado bloqueado inactivo cancelado ' +
    'noninviare squalificato ritirato escluso rifiutato bloccato inattivo annullato ' +
    'desistente descadastrado rejeitado inativo ' +
    'nietversturen teruggetrokken afgemeld uitgesloten ' +
    'afgewezen geblokkeerd inactief geannuleerd 除外 不合格',
})

/* What says the same within a longer heading, such as "Opted out of e-mails" or "Kontakt erlaubt (DSGVO)". */
const LEAVE_OUT =
  /(?:donot|dont|doesnotwantto)(?:be)?(?:contact|invite|email|mail|send|test|assess)|optedout|optout|unsubscri|withdr[ae]w|disqualif|blacklist|blocklist|suspended|deactivated|nicht(?:kontaktier|einlad|anschreib|mail)|keinkontakt|abgemeldet|widerrufen|nepas(?:contacter|inviter|envoyer)|desinscrit|desabonne|nocontactar|noinvitar|noenviar|descalificad|suspendid|noncontattare|noninvitare|disiscritt|sospes[oa]|nao(?:contatar|contactar|convidar|enviar)|desqualificad|suspens[oa]|niet(?:contacteren|uitnodigen|mailen|benaderen)|gediskwalificeerd|uitgeschreven|連絡不可|配信停止|辞退/
const INVITE =
  /(?:may|can|okto|mag)(?:we|be)?(?:contact|invite|email)|contactallowed|allowcontact|consent|optedin|einwilligung|kontakt(?:erlaubt|gestattet|erwunscht|ok)|darfkontaktiert|contactautorise|contactopermitido|contattoconsentito|toestemming/

/** What "yes" in a column means, if the column decides who is invited. */
export function decisionOf(heading: string): Meaning | undefined {
  const known = DECISIONS.fieldOf(heading)
  if (known !== undefined) return known
  const key = headingKey(heading)
  return LEAVE_OUT.test(key) ? 'leave_out' : INVITE.test(key) ? 'invite' : undefined
}

/* Columns that say whether somebody was invited, and the words of a report or a list of invites for "no". */
const INVITED = new Headings({
  invited:
    'invited alreadyinvited wasinvited invitesent invitationsent eingeladen dejainvite invitado invitato uitgenodigd',
  status: 'status state invitestatus invitationstatus',
})
const NOT_INVITED = /^(refused|failed|invalid|planned|unknown|sending|not ?(started|executed|invited|sent))$/

const YES = wordSet('yes y true 1 x ✓ ✔ ☑ on ja j wahr oui vrai sí si sì verdadero vero sim verdadeiro waar はい 是')
const NO = wordSet('no n false 0 off nein falsch non faux falso não nao nee onwaar いいえ 否')
const LONGEST_WORD = 12

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}

/** Reads yes or no in any of the known languages. `undefined` if it is neither. */
export function parseYesOrNo(text: string, ifEmpty?: boolean): boolean | undefined {
  const word = text
    .slice(0, LONGEST_WORD + 1)
    .normalize('NFC')
    .trim()
    .toLowerCase()
  if (word === '') return ifEmpty
  if (YES.has(word)) return true
  return NO.has(word) ? false : undefined
}

/** What a file is for: people to invite, or invites that were made elsewhere. */
export type FilePurpose = 'invite' | 'import'

/** A condition of --only or --skip: what a column must say. */
export type Condition = readonly [heading: string, value: string]

export interface Conditions {
  readonly only?: readonly Condition[]
  readonly skip?: readonly Condition[]
}

/** Whether a row is read, by --only and --skip. A row of JSON without the key has an empty value. */
export function wantedBy({ only = [], skip = [] }: Conditions): (row: FileRow) => boolean {
  const [required, unwanted] = [only.map(keyed), skip.map(keyed)]
  const needed = [...new Set(required.map(([key]) => key))]
  let names: readonly string[] = []
  let keys: readonly string[] = []
  return (row) => {
    /* The rows of a table share their names. */
    if (row.names !== names) keys = row.names.map(headingKey)
    names = row.names
    const isMet = ([key, value]: Condition) => holds(row, keys.indexOf(key), value)
    /* Two values for one heading are alternatives. */
    return !unwanted.some(isMet) && needed.every((key) => required.some((each) => each[0] === key && isMet(each)))
  }
}

function keyed([heading, value]: Condition): Condition {
  return [headingKey(heading), value]
}

function holds({ names, values }: FileRow, place: number, wanted: string): boolean {
  const name = names[place]
  const text = name === undefined ? '' : textOf(values[place])
  if (text.toLowerCase() === wanted.trim().toLowerCase()) return true
  const said = parseYesOrNo(wanted)
  if (said === undefined) return false
  /* "Withdrawn" with a date or a reason says yes. */
  const isReason = name !== undefined && decisionOf(name) === 'leave_out' && text !== ''
  return said === (parseYesOrNo(text) ?? (isReason ? true : undefined))
}

function textOf(value: unknown): string {
  if (isNumber(value)) return digitsOf(value)
  if (typeof value === 'string' || typeof value === 'boolean') return String(value).trim()
  if (value instanceof CellFault) return String(value)
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/** The rows that say something in a column, by what they say. */
class Answers {
  readonly yes: Said = { count: 0, first: Number.POSITIVE_INFINITY }
  readonly no: Said = { count: 0, first: Number.POSITIVE_INFINITY }
  readonly other: Said = { count: 0, first: Number.POSITIVE_INFINITY }
  /** The place of the first row without a value. */
  firstBlank = 0

  add(text: string, row: number, place: number): void {
    if (text === '') return
    const said = parseYesOrNo(text)
    const answer = said === undefined ? this.other : this[said ? 'yes' : 'no']
    answer.count += 1
    answer.first = Math.min(answer.first, row)
    if (this.firstBlank === place) this.firstBlank += 1
  }
}

interface Said {
  count: number
  /** The number of a row. */
  first: number
}

/** A column of yes and no that is not known to decide anything. */
export interface YesNoColumn {
  readonly name: string
  readonly yes: number
  readonly no: number
}

/**
 * Refuses rows that their file says not to invite.
 *
 * @param names the columns that are not read otherwise, and that --map does not say to ignore
 * @param purpose of an import, the columns that say who was not invited count instead
 * @returns the other columns of yes and no
 * @throws CliError
 */
export function refuseDecisions(
  rows: readonly FileRow[],
  names: readonly string[],
  purpose: FilePurpose = 'invite',
): readonly YesNoColumn[] {
  if (purpose === 'import') return refuseUninvited(rows, names)

  const columns = new Map(names.map((name) => [name, new Answers()]))
  for (const [place, { row, names: present, values }] of rows.entries()) {
    for (const [index, name] of present.entries()) columns.get(name)?.add(textOf(values[index]), row, place)
  }
  const others: YesNoColumn[] = []
  for (const [name, answers] of columns) {
    const { yes, no, other } = answers
    const meaning = decisionOf(name)
    if (meaning !== undefined) refuseNo(name, refusing(meaning, answers, rows), meaning)
    else if (other.count === 0 && yes.count + no.count > 0) others.push({ name, yes: yes.count, no: no.count })
  }
  return others
}

function refuseUninvited(rows: readonly FileRow[], names: readonly string[]): readonly YesNoColumn[] {
  for (const name of names) {
    const meaning = INVITED.fieldOf(name)
    if (meaning === undefined) continue
    const no = rows.filter(({ names: present, values }) => {
      const text = textOf(values[present.indexOf(name)]).toLowerCase().replaceAll(/[_-]/g, ' ')
      return text === '' ? meaning === 'invited' : parseYesOrNo(text) === false || NOT_INVITED.test(text)
    })
    if (no[0] === undefined) continue
    throw fileError(
      `the column "${name}" says that ${rowCount(no.length)} ${no.length === 1 ? 'was' : 'were'} not invited; the first is row ${no[0].row}.`,
      `Leave them out with --only "${name}=${meaning === 'invited' ? 'yes' : 'created'}", or record them too with --map "${name}=ignore".`,
    )
  }
  return []
}

type Meaning = 'invite' | 'leave_out'

/*
 * A column "Invite" with a yes anywhere means it: its blanks are a no. One without a yes or no is about something else. A
 * date or a reason under "Withdrawn" is a yes.
 */
function refusing(
  meaning: Meaning,
  { yes, no, other, firstBlank }: Answers,
  rows: readonly FileRow[],
): readonly Said[] {
  if (meaning === 'leave_out') return [yes, other]
  if (yes.count + no.count === 0) return []
  const blank = rows.length - yes.count - no.count - other.count
  return [no, other, { count: yes.count > 0 ? blank : 0, first: rows[firstBlank]?.row ?? Number.POSITIVE_INFINITY }]
}

function refuseNo(name: string, answers: readonly Said[], meaning: Meaning): void {
  const count = answers.reduce((sum, each) => sum + each.count, 0)
  if (count === 0) return
  const first = Math.min(...answers.map((each) => (each.count > 0 ? each.first : Number.POSITIVE_INFINITY)))
  const flag = meaning === 'leave_out' ? '--skip' : '--only'
  throw fileError(
    `the column "${name}" says not to invite ${rowCount(count)}; the first is row ${first}.`,
    `Leave them out with ${flag} "${name}=yes", or invite them too with --map "${name}=ignore".`,
    [
      ['leave them out', flag, `${name}=yes`],
      ['invite them too', '--map', `${name}=ignore`],
    ],
  )
}
