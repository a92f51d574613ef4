import { type ZipEntry, zip } from './zip.ts'

/** A cell: a text, a number, a number with a format, or the XML of a cell after its place. */
export type Cell = string | number | { readonly value: number; readonly format: string } | { readonly xml: string }

/** A sheet of a workbook: its rows from the first one; `undefined` is an empty cell. */
export interface SheetOf {
  readonly name?: string
  readonly rows: readonly (readonly (Cell | undefined)[])[]
  /** Ranges, as in A2:B3. */
  readonly merged?: readonly string[]
  /** Counted from 1. */
  readonly hiddenRows?: readonly number[]
  readonly zeroHeightRows?: readonly number[]
  readonly hiddenColumns?: readonly number[]
  readonly isHidden?: boolean
}

interface WorkbookOptions {
  readonly is1904?: boolean
  /** Files that replace or follow the usual ones. */
  readonly others?: readonly ZipEntry[]
}

/** An Excel workbook. Texts are shared strings. */
export function workbook(sheets: SheetOf | readonly SheetOf[], { is1904, others = [] }: WorkbookOptions = {}): Buffer {
  const all = [sheets].flat() as readonly SheetOf[]
  const strings: string[] = []
  const formats: string[] = []
  const parts = all.map(
    (sheet, index): ZipEntry => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: worksheet(sheet, strings, formats),
    }),
  )
  const names = all.map(
    ({ name = 'Candidates', isHidden }, index) =>
      `<sheet name="${name}" sheetId="${index + 1}"${isHidden === true ? ' state="hidden"' : ''} r:id="rId${index + 1}"/>`,
  )
  const relations = all.map((_each, index) => relation(index + 1, 'worksheet', `worksheets/sheet${index + 1}.xml`))
  const files: ZipEntry[] = [
    { name: '[Content_Types].xml', content: contentTypes(all.length) },
    {
      name: '_rels/.rels',
      content: `${XML}<Relationships xmlns="${PACKAGE}">${relation(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      content: `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${is1904 === true ? '<workbookPr date1904="1"/>' : ''}<sheets>${names.join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `${XML}<Relationships xmlns="${PACKAGE}">${relations.join('')}${relation(90, 'styles', 'styles.xml')}${relation(91, 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    },
    ...parts,
    { name: 'xl/styles.xml', content: styles(formats) },
    {
      name: 'xl/sharedStrings.xml',
      content: `${XML}<sst xmlns="${MAIN}">${strings.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`,
    },
  ]
  const replaced = new Set(others.map(({ name }) => name))
  return zip([...files.filter(({ name }) => !replaced.has(name)), ...others])
}

/** Escapes a text for XML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships'

function relation(id: number, type: string, target: string): string {
  return `<Relationship Id="rId${id}" Type="${OFFICE}/${type}" Target="${target}"/>`
}

function contentTypes(sheets: number): string {
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  const part = (name: string, kind: string) => `<Override PartName="/xl/${name}" ContentType="${type}.${kind}+xml"/>`
  const worksheets = Array.from({ length: sheets }, (_each, index) =>
    part(`worksheets/sheet${index + 1}.xml`, 'worksheet'),
  )
  return `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${part('workbook.xml', 'sheet.main')}${worksheets.join('')}${part('styles.xml', 'styles')}${part('sharedStrings.xml', 'sharedStrings')}</Types>`
}

function worksheet(sheet: SheetOf, strings: string[], formats: string[]): string {
  const { rows, merged = [], hiddenRows = [], zeroHeightRows = [], hiddenColumns = [] } = sheet
  const columns = hiddenColumns.map((each) => `<col min="${each}" max="${each}" width="9" hidden="1" customWidth="1"/>`)
  const lines = rows.map((row, index) => {
    const cells = row.map((each, column) => cell(each, `${letter(column)}${index + 1}`, strings, formats))
    const hidden = hiddenRows.includes(index + 1) ? ' hidden="1"' : ''
    const height = zeroHeightRows.includes(index + 1) ? ' ht="0" customHeight="1"' : ''
    return `<row r="${index + 1}"${hidden}${height}>${cells.join('')}</row>`
  })
  const merges = merged.map((range) => `<mergeCell ref="${range}"/>`)
  return `${XML}<worksheet xmlns="${MAIN}">${columns.length === 0 ? '' : `<cols>${columns.join('')}</cols>`}<sheetData>${lines.join('')}</sheetData>${merges.length === 0 ? '' : `<mergeCells count="${merges.length}">${merges.join('')}</mergeCells>`}</worksheet>`
}

function letter(column: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + column)
}

function cell(value: Cell | undefined, place: string, strings: string[], formats: string[]): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`
  if (typeof value === 'string') return `<c r="${place}" t="s"><v>${indexIn(strings, value)}</v></c>`
  if ('xml' in value) return `<c r="${place}" ${value.xml}</c>`
  return `<c r="${place}" s="${indexIn(formats, value.format) + 1}"><v>${value.value}</v></c>`
}

function indexIn(list: string[], text: string): number {
  const found = list.indexOf(text)
  return found === -1 ? list.push(text) - 1 : found
}

/* Style 0 is General; each format is a style of its own. */
function styles(formats: readonly string[]): string {
  const own = formats.map((format, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escaped(format)}"/>`)
  const used = formats.map((_each, index) => `<xf numFmtId="${164 + index}" applyNumberFormat="1"/>`)
  return `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${own.length}">${own.join('')}</numFmts><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${used.length + 1}"><xf numFmtId="0"/>${used.join('')}</cellXfs></styleSheet>`
}
