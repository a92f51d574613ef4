import { type Fault, fileError } from '../table/faults.ts'
import { columnChoices, type FileRow, isAddress, type ReadOptions } from '../table/file.ts'
import { type Columns, headingKey, Headings, type HeadingTable } from '../table/headings.ts'
import { type Conditions, type FilePurpose, textOf } from './decisions.ts'
import { subjectOf } from '../vocabulary.ts'

/* The usual headings in the languages that HR systems export. */
const HEADINGS = {
  email:
    'email emails emailaddress primaryemail primaryemailaddress mail mailaddress recipientemail candidateemail ' +
    'emailadresse mailadresse emailadres mailadres ' +
    'adresseemail adressemail adressedemail adresseelectronique courriel adressecourriel adressedecourriel ' +
    'adressedecourrielelectronique courrielelectronique correo correoelectronico direcciondecorreo ' +
    'direcciondecorreoelectronico direcciondeemail postaelettronica indirizzoemail indirizzomail indirizzodiposta ' +
    'indirizzodipostaelettronica correioeletronico correioelectronico enderecodeemail enderecoemail enderecoeletronico ' +
    'emailaddresses adresemail adresmailowy emailovaadresa adresaemail adresadeemail epost epostadress epostadresse ' +
    'emailcim sahkoposti sahkopostiosoite eposta epostaadresi электроннаяпочта почта адресэлектроннойпочты електроннапошта ' +
    'البريدالالكتروني البريدالإلكتروني דואל דואראלקטרוני אימייל メールアドレス メール eメール 邮箱 邮箱地址 电子邮件 电子邮箱 ' +
    '電子郵件 電子信箱 이메일 이메일주소',
  name:
    'name fullname recipientname candidatename vollstandigername vollstaendigername vorundnachname vornamenachname ' +
    'vornameundnachname nomcomplet nometprenom prenometnom nombrecompleto nombreyapellido nombreyapellidos nomecompleto ' +
    'nomeecognome nominativo nomeesobrenome nomeeapelido naam volledigenaam voorenachternaam ' +
    'imieinazwisko jmenoaprijmeni menoapriezvisko navn namn nimi kokonimi adsoyad adisoyadi nev teljesnev фио имя імя ' +
    'الاسم الاسمالكامل שם שםמלא 氏名 お名前 名前 フルネーム 姓名 이름 성명',
  first_name:
    'firstname first givenname forename vorname prenom nombre nome primeironome voornaam imie jmeno meno fornavn fornamn etunimi keresztnev prenume שםפרטי الاسمالاول 名',
  last_name:
    'lastname last surname familyname nachname familienname zuname nom nomdefamille apellido apellidos cognome sobrenome ' +
    'apelido ultimonome achternaam familienaam nazwisko prijmeni priezvisko efternavn etternavn efternamn sukunimi soyad soyadi vezeteknev ' +
    'фамилия прізвище שםמשפחה اسمالعائلة 姓 성',
  quiz_id: 'quizid quiz testid assessmentid idquiz idduquiz iddelquiz idtest idcuestionario idquestionario',
  package_id:
    'packageid package paket paketid pakket pakketid paquet idpaquet iddupaquet paquete idpaquete iddelpaquete ' +
    'pacchetto idpacchetto pacote idpacote iddopacote',
  external_reference:
    'externalreference externalid reference candidateid referenz externereferenz referenceexterne referencia ' +
    'referenciaexterna riferimento riferimentoesterno referentie externereferentie',
  send_email:
    'sendemail sendinviteemail emailsenden emailversenden envoyeremail envoyerunemail envoyeruncourriel enviaremail ' +
    'enviarcorreo inviaemail inviareemail emailversturen emailverzenden',
  callback_url: 'callbackurl callback urlcallback urldecallback callbackadresse ruckrufurl rueckrufurl urlderappel',
} as const satisfies HeadingTable<string>

const { external_reference: _reference, send_email: _sends, callback_url: _callback, ...SHARED } = HEADINGS

/* Further ones of invites that were made elsewhere, as in an export, or a report of bulk. "reference" names a create here. */
const IMPORT_HEADINGS = {
  reference: 'reference clientreference xclientreference',
  invite_id: 'inviteid inviteids invitationid invitationids einladungsid idinvitation idinvitacion',
  created_at:
    'createdat created creationdate datecreated invitedat invitedon inviteddate dateinvited invitedate invitationdate ' +
    'sentat senton sent sentdate datesent senddate einladungsdatum eingeladenam versandtam gesendetam datedinvitation ' +
    'envoyele dateenvoi fechadeinvitacion fechadeenvio datainvito dataconvite uitnodigingsdatum 招待日',
  expires_at:
    'expiresat expireson expires expiry expirydate expirationdate dateexpires validuntil linkvaliduntil deadline duedate ' +
    'ablaufdatum gultigbis gueltigbis lauftabam dateexpiration valablejusquau fechadevencimiento fechadeexpiracion ' +
    'datascadenza datadeexpiracao vervaldatum 有効期限',
  link: 'link challengeurl challengelink invitelink inviteurl invitationlink testlink quizlink einladungslink',
} as const satisfies HeadingTable<string>

/** A field of a row, by its name in a file. */
export type Field = keyof typeof HEADINGS | keyof typeof IMPORT_HEADINGS

/** What a column may be: a field, or nothing that is read. */
export type Meaning = Field | 'ignore'

const HEADINGS_OF: Readonly<Record<FilePurpose, Headings<Field>>> = {
  invite: new Headings(HEADINGS),
  import: new Headings({ ...SHARED, ...IMPORT_HEADINGS }),
}

/** What --map may say. */
export const meaningsFor = (purpose: FilePurpose) => [...HEADINGS_OF[purpose].fields, 'ignore'] as readonly Meaning[]

/** The options for rows: what columns mean, and what rows leave empty. */
export interface RowOptions
  extends Conditions,
    Pick<ReadOptions, 'encoding' | 'sheet' | 'headerRow' | 'hidden' | 'isGuided'> {
  /** What headings mean, in place of their names. */
  readonly map?: HeadingMap
  /** For rows without a value of their own. */
  readonly quizId?: string
  readonly packageId?: string
  readonly callbacks?: boolean
  readonly sendEmail: boolean
  readonly purpose?: FilePurpose
  /** Whether nobody reads the plan, as with --yes. */
  readonly isUnattended?: boolean
}

export type HeadingMap = readonly (readonly [heading: string, meaning: Meaning])[]

/** The column with the reason in a file of rows to fix. It is ignored when that file is read again. */
export const ERROR_COLUMN = 'certify_error'

/** What the columns of a file mean: by `--map`, else by their headings. */
export function columnsReader(options: RowOptions): (names: readonly string[]) => Columns<Field> {
  const meanings = meaningsOf(options)
  const { purpose = 'invite' } = options
  return (names) => {
    /* There, a reference names a create. */
    const all = isReport(names) ? new Map([['reference', undefined], ...meanings]) : meanings
    return pairSurname(HEADINGS_OF[purpose].columnsOf(names, all), names, meanings)
  }
}

/** Whether these are the columns of a report of bulk. */
export function isReport(names: readonly string[]): boolean {
  return ['row', 'status', 'invite_ids', 'email_sent', 'reference', 'code'].every((each) => names.includes(each))
}

function meaningsOf({ map = [] }: RowOptions): ReadonlyMap<string, Field | undefined> {
  return new Map([
    [headingKey(ERROR_COLUMN), undefined],
    ...map.map(([heading, meaning]) => [headingKey(heading), meaning === 'ignore' ? undefined : meaning] as const),
  ])
}

/* German and Dutch sheets have the surname as "Name" beside the first name. */
function pairSurname(
  columns: Columns<Field>,
  names: readonly string[],
  meanings: ReadonlyMap<string, unknown>,
): Columns<Field> {
  const { name, first_name: first, last_name: last, ...others } = columns.places
  if (name === undefined || first === undefined || last !== undefined) return columns
  const [surname, given] = [headingKey(names[name] ?? ''), headingKey(names[first] ?? '')]
  const isPair = ['name', 'naam'].includes(surname) && ['vorname', 'voornaam'].includes(given)
  if (!isPair || meanings.has(surname)) return columns
  return { ...columns, places: { ...others, first_name: first, last_name: name } }
}

/** Whether a column without a meaning may have the names of people. */
export function mayBeName(heading: string): boolean {
  const key = headingKey(heading)
  return NAME_PART.test(key) && !OTHER_NAME.test(key)
}

const NAME_PART =
  /name|nombre|nome|^nom|naam|navn|namn|imie|nazwisk|jmen|prijmen|nimi|soyad|isim|имя|фамилия|ονομα|اسم|שם|名|姓|이름|성명|candidat|kandida|applicant|bewerber|person|participant/
/* Of something else, or of somebody else. */
const OTHER_NAME =
  /user|file|domain|company|firm|employer|job|role|track|skill|quiz|test|package|paket|school|team|campaign|source|url|link|id$|status|stage|recruit|manager|coordinator|owner|referr|interviewer|(?<!candi|kandi)date|created|e?mail|phone|number|社名|会社/
/* Where a heading says so, the family name comes first. */
const FAMILY_FIRST = /^(姓|氏|苗字|성|vezeteknev|csaladnev)/

/** The first and the last name as one. */
export function joinedName(first: string, last: string, lastHeading: string): string {
  return (FAMILY_FIRST.test(headingKey(lastHeading)) ? [last, first] : [first, last]).filter(Boolean).join(' ')
}

/** Misspelt headings of columns that decide who is invited to what. */
export function nearMisses(
  columns: Columns<Field>,
  where: string,
  { purpose = 'invite' }: RowOptions,
): readonly Fault[] {
  return HEADINGS_OF[purpose].nearMisses(columns, DECIDING, where)
}

const DECIDING: readonly Field[] = ['email', 'quiz_id', 'package_id', 'callback_url']

/** What a header leaves open about who is invited to what. */
export function headerFaults(
  header: readonly string[],
  columns: Columns<Field>,
  options: RowOptions,
  rows: readonly FileRow[],
): readonly Fault[] {
  const { places, twice, unknown } = columns
  const isMissing = places.email === undefined
  const faults = isMissing ? [withoutAddress(header, unknown, rows)] : [...nearMisses(columns, 'the header', options)]
  const [field] = twice
  if (field !== undefined) {
    const names = header.filter((name) => HEADINGS_OF[options.purpose ?? 'invite'].fieldOf(name) === field)
    const hint = `Keep one of them, or say which: --map "${names[0] ?? 'Heading'}=${field}", or --map "Heading=ignore".`
    const choices = columnChoices(names, field)
    faults.push({ message: `several columns mean ${twice.join(', ')}: ${quoted(names)}.`, hint, choices })
  }
  if ((places.quiz_id ?? places.package_id ?? options.quizId ?? options.packageId) !== undefined || faults.length > 0)
    return faults
  const hint =
    'Add a column "quiz_id" or "package_id", name the one that has it with --map "Heading=quiz_id", or give --quiz-id or ' +
    '--package-id for all rows.'
  return [{ message: 'no column says what to invite to.', hint, choices: 'targets' }]
}

function withoutAddress(header: readonly string[], unknown: readonly string[], rows: readonly FileRow[]): Fault {
  const template = 'The header must name the columns, as in: email,name,quiz_id'
  if (header.some((name) => name.includes('@'))) {
    throw fileError('the first line has an address, so it seems to be a candidate already.', template)
  }
  const first = rows.slice(0, MAX_SAMPLES)
  const addressesIn = (at: number) => new Set(first.map(({ values }) => textOf(values[at])).filter(isAddress)).size
  /* A recruiter's address is the same in each row. */
  const counts = new Map(header.map((name, at) => [name, addressesIn(at)]))
  const sorted = unknown.toSorted((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0))
  const likely = sorted.filter((name) => /mail|courriel|correo/.test(headingKey(name)) && !subjectOf(name))
  if (likely.length > 1) {
    const message = `several columns may be the e-mail address: ${quoted(likely)}.`
    return { message, hint: `Say which: --map "${likely[0]}=email".`, choices: columnChoices(likely, 'email') }
  }
  const all = [...likely, ...sorted.filter((name) => counts.get(name) !== 0)]
  const hint = all[0] === undefined ? template : `Say what it is: --map "${all[0]}=email".`
  const found = quoted(header.slice(0, 30).map((name) => name.slice(0, 40)))
  const choices = columnChoices([...all, ...header], 'email')
  return { message: `no column is the e-mail address; found: ${found}.`, hint, choices }
}

const MAX_SAMPLES = 100

/** Refuses a field beside the list of candidates, where it would seem to be for all of them. @throws CliError */
export function refuseBesideList(names: readonly string[], { purpose = 'invite' }: RowOptions): void {
  const known = names.find((name) => HEADINGS_OF[purpose].fieldOf(name) !== undefined)
  if (known === undefined) return
  throw fileError(`the file has "${known}" beside its list of candidates.`, 'Give it in each candidate, or by a flag.')
}

/** Refuses a heading of a flag that the file does not have: it is misspelt. @throws CliError */
export function refuseMissing(names: readonly string[], { map = [], only = [], skip = [] }: RowOptions): void {
  const keys = new Set(names.map(headingKey))
  for (const [flag, pairs] of Object.entries({ map, only, skip })) {
    const missing = pairs.map(([heading]) => heading).filter((heading) => !keys.has(headingKey(heading)))
    if (missing.length === 0) continue
    const shared = [...new Set(names)].filter((name) => missing.some((each) => name.startsWith(`${each} (`)))
    const hint =
      shared.length === 0 ? 'Give the headings as they are in the file.' : `Several have it: ${quoted(shared)}.`
    throw fileError(`--${flag}: the file has no column ${quoted(missing)}.`, hint)
  }
}

/** Names for a message. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
