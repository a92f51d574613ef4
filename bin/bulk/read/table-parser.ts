import { CsvError, type Info, type Options, parse } from 'csv-parse'
import type { CliError } from '../../cli-error.ts'
import { unescaped } from './csv.ts'
import { type Delimiter, type FileRecord, LONGEST_RECORD } from './file-record.ts'
import { countSpanning, refuseSwallowedRows } from './spanning-values.ts'

export interface TableRecord extends FileRecord {
  readonly values: readonly string[]
}

/** Parses the text of a table, piece by piece. */
export class TableParser {
  /** The last line of the last row so far. */
  lastLine: number
  #found: (TableRecord | CliError)[] = []
  readonly #parser: ReturnType<typeof parse>

  /**
   * @param names the header; may be filled in later
   * @param before the number of lines before this text
   * @param skipped the number of its lines to skip
   */
  constructor(names: readonly string[], delimiter: Delimiter, before: number, skipped = 0) {
    this.lastLine = before + skipped
    const options: Options<string[], string[]> = {
      delimiter,
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      max_record_size: LONGEST_RECORD,
      from_line: skipped + 1,
      on_record: (record, { lines }: Info) => {
        this.lastLine = before + lines
        this.#found.push(recordOf(record, this.lastLine, names, delimiter))
        /* The parser keeps nothing: a row that it has read stays, even if the next one cannot be read. */
        return undefined
      },
    }
    /* Its types allow other records only with named columns. */
    this.#parser = parse(options as object)
    /* Errors also go to the callbacks below. */
    this.#parser.on('error', () => {})
  }

  /** Parses more text; `undefined` ends it. Returns the error of the first row that cannot be read. */
  async write(text: string | undefined): Promise<CsvError | undefined> {
    const error = await new Promise<Error | null | undefined>((resolve) => {
      if (text === undefined) this.#parser.end(resolve)
      else this.#parser.write(text, resolve)
    })
    if (error instanceof CsvError) return error
    if (error !== undefined && error !== null) throw error
    return undefined
  }

  /** The rows since the last call. @throws CliError after the rows before one that takes in others */
  *rows(): Generator<TableRecord> {
    const found = this.#found
    this.#found = []
    for (const each of found) {
      if (each instanceof Error) throw each
      yield each
    }
  }

  close(): void {
    this.#parser.destroy()
  }
}

/* A row has the number of its first line; the parser has that of its last one. */
function recordOf(
  record: readonly string[],
  lastLine: number,
  names: readonly string[],
  delimiter: Delimiter,
): TableRecord | CliError {
  const { values: spanning, lines } = countSpanning(record)
  const row = lastLine - lines
  const fault = spanning === 0 ? undefined : refuseSwallowedRows(record, row, delimiter)
  return fault ?? { row, names, values: record.map(unescaped), spanning }
}
