import { FIELDS, type Field } from '../options/fields.ts'

/* The usual headings in English, German, French, Spanish, Italian, Portuguese and Dutch, as `headingKey` returns them. */
const NAMES: Readonly<Record<Field, string>> = {
  email:
    'email emailaddress mail mailaddress recipientemail candidateemail emailadresse mailadresse emailadres mailadres ' +
    'adresseemail adressemail adressedemail adresseelectronique courriel adressecourriel adressedecourriel ' +
    'adressedecourrielelectronique courrielelectronique correo correoelectronico direcciondecorreo ' +
    'direcciondecorreoelectronico direcciondeemail postaelettronica indirizzoemail indirizzomail indirizzodiposta ' +
    'indirizzodipostaelettronica correioeletronico correioelectronico enderecodeemail enderecoemail enderecoeletronico',
  name:
    'name fullname recipientname candidatename vollstandigername vollstaendigername vorundnachname vornamenachname ' +
    'vornameundnachname nomcomplet nometprenom prenometnom nombrecompleto nombreyapellido nombreyapellidos nomecompleto ' +
    'nomeecognome nominativo nomeesobrenome nomeeapelido naam volledigenaam voorenachternaam',
  first_name: 'firstname givenname forename vorname prenom nombre nome primeironome voornaam',
  last_name:
    'lastname surname familyname nachname familienname zuname nom nomdefamille apellido apellidos cognome sobrenome ' +
    'apelido ultimonome achternaam familienaam',
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
}

const FIELD_OF: ReadonlyMap<string, Field> = new Map(
  FIELDS.flatMap((field) => NAMES[field].split(' ').map((name) => [name, field] as const)),
)

/** The field that a heading means. */
export function fieldOf(heading: string): Field | undefined {
  return FIELD_OF.get(headingKey(heading))
}

/** The known headings of fields, as {@link headingKey} returns them. */
export function headingsOf(fields: ReadonlySet<Field>): readonly string[] {
  return [...FIELD_OF].flatMap(([name, field]) => (fields.has(field) ? [name] : []))
}

/** Compares headings: without case, accents, spaces and punctuation. */
export function headingKey(heading: string): string {
  /* A text, not a heading. To normalize it takes the square of its length. */
  if (heading.length > LONGEST_HEADING) return heading
  const key = heading
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
  return key || heading.trim()
}

const LONGEST_HEADING = 200

/** Whether a heading may be one of several for an address: "Work e-mail". */
export function isLikeAddress(heading: string): boolean {
  return /mail|courriel|correo/.test(headingKey(heading))
}

/** German and Dutch sheets have the surname as "Name" beside the first name. */
export function isSurnameBeside(name: string, firstName: string): boolean {
  return ['name', 'naam'].includes(headingKey(name)) && ['vorname', 'voornaam'].includes(headingKey(firstName))
}
