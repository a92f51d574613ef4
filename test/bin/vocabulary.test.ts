import { expect, test } from 'vitest'
import { cellOf, subjectOf } from '../../bin/vocabulary.ts'

const isLeftOut = (text: string) => ['leave-out', 'invited'].includes(cellOf(text))

test.each([
  [
    'a duplicate',
    'Duplicate record, Doublon, Dublette, Duplicado, Duplicato, Duplicaat, Duplikat, Duplicita, Dubblett',
  ],
  ['a duplicate elsewhere', 'Mükerrer, Дубликат, Дублікат, 重複, 重复简历, 중복 지원'],
  [
    'a death',
    'Passed away, Décédé, verstorben, Fallecido, Overleden, Zmarły, Zemřel, Afdød, Vefat etti, Умер, 逝去, 去世, 사망',
  ],
  [
    'an erasure',
    'GDPR delete, To be deleted, Droit à l’oubli, Zu löschen, Borrado, Da eliminare, Te verwijderen, Do usunięcia',
  ],
  ['an erasure elsewhere', 'Slettes, Silinecek, Удалить, 削除依頼, 待删除, 삭제 예정'],
  [
    'a dead mailbox',
    'Undeliverable, invalid e-mail, Mailbox full, Unzustellbar, E-mail invalide, Correo rebotado, Ogiltig e-post',
  ],
  ['a dead mailbox elsewhere', 'Geçersiz, Неверный email, 不達, 退信, 반송'],
  [
    'a vacancy that is closed',
    'Position closed, Poste pourvu, Vacante cerrada, Vaga preenchida, Posizione chiusa, Pozice obsazena, 募集終了',
  ],
  [
    'no consent',
    'Never subscribed, I don’t consent, Consent expired, Ohne Einwilligung, Sin consentimiento, Bez souhlasu, Rıza yok',
  ],
  [
    'a polite no',
    'she said no, Nee bedankt, Nie dziękuję, Ne děkuji, Nej tack, Hayır teşekkürler, Нет спасибо, いいえ、結構です',
  ],
  ['a person who left', 'Deprovisioned, A quitté l’entreprise, Uit dienst, İşten ayrıldı, Уволился, 退職, 离职, 퇴사'],
  [
    'words after words',
    'Did not meet basic qualifications, Un-Qualified, asked to be removed, no more emails, doesn’t want emails',
  ],
  [
    'a test that was taken',
    'already took the test in May, Déjà passé le test, Prueba realizada, Тест пройден, 测试已完成, 응시 완료',
  ],
  [
    'a note',
    'bitte löschen, ne veut plus être contacté, pediu para não ser contatado, prosi o niekontaktowanie, vill inte bli kontaktad',
  ],
  ['a note without a no', 'Finger weg!, abandon du candidat, no se le contacte, ziet ervan af, Вышел из процесса'],
  ['a note that a test was taken', 'wurde schon getestet, a déjà passé le test, już testowany, har redan gjort testet'],
])('a cell says %s in each language', (_kind, texts) => {
  expect(texts.split(', ').filter((text) => !isLeftOut(text))).toEqual([])
})

test.each([
  [
    'not yet',
    'Noch nicht kontaktiert, Ainda não convidado, Ännu inte inbjuden, Ещё не приглашён, Jeszcze nie zaproszony',
  ],
  [
    'an answer about something else',
    'I do not wish to answer, Nie dotyczy, No experience, Нет опыта, Geen rijbewijs, 重複なし',
  ],
  [
    'a life or a job',
    'Laid off, Contract ended, 离职找工作, removed from Paris, Double diplôme, Baja California, Архивариус',
  ],
  [
    'a step of a process',
    'Left message, moved to another team, already spoke to Rita, Strongly disagree, Attending, 未招待, 미초대',
  ],
])('%s is no reason to leave anybody out', (_kind, texts) => {
  expect(texts.split(', ').filter(isLeftOut)).toEqual([])
})

test.each([
  [
    'no',
    'UNSUB_TIME, CLEAN_TIME, IsExcludedFromCampaigns, Left on, donotcontact, Termination date, Date of death, Legal hold, Austrittsdatum, Date de sortie, 退職日, 퇴사일',
  ],
  ['already', 'Skills test sent, Skills test link, Previous invite'],
  [
    'yes',
    'accountEnabled, subscribed_to_emails, 配信可否, Include in test round, Test required?, Skills test consent, May we send you the skills test?',
  ],
  [undefined, 'Client feedback, Company notes, Marketing consent, Email Marketing Consent'],
  ['other', 'Skills, Client, Company, Newsletter, Visa status'],
])('headings are about %j', (subject, headings) => {
  expect(headings.split(', ').filter((heading) => subjectOf(heading) !== subject)).toEqual([])
})

test('a status of invites is a status, whatever it says', () => {
  const about = (heading: string, values: string) => subjectOf(heading, values.split(', '))
  expect(about('Invite status', 'pending, accepted, sent')).toBe('status')
  expect(about('Teststatus', 'ausstehend, zugesagt')).toBe('status')
  expect(about('Teilnahme am Test?', 'ja, nein')).toBe('yes')
})

test('a short sentence of prose is read', () => {
  const prose = 'Spoke about the role in Lyon, about her salary, and about the notice period that she has. '
  expect([`${prose}Do not contact again.`, `${prose}Follow up in June.`].map(cellOf)).toEqual(['leave-out', 'other'])
  expect(cellOf(`${prose.replace('.', '')}and do not contact her`)).toBe('other')
})

test('ticks are signs, too', () => {
  expect(['○', '√', '+', '✓', '×', '✕', '☐', '-'].map(cellOf)).toEqual([
    ...Array(4).fill('yes'),
    ...Array(3).fill('no'),
    'blank',
  ])
})
