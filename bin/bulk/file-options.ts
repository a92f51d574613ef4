import { type Command, InvalidArgumentError, Option } from 'commander'
import { once, RepeatedOption, wholeNumber } from '../flags.ts'
import { didYouMean } from '../spelling.ts'
import { readEncoding } from '../table/file.ts'
import { type HeadingMap, type Meaning, meaningsFor } from './columns.ts'
import type { Condition, FilePurpose } from './decisions.ts'

/** Adds a file of candidates, and the options that say how to read it. */
export function addFileOptions(command: Command, purpose: FilePurpose): Command {
  return command
    .argument(purpose === 'import' ? '<file>' : '[file]', 'CSV, TSV, Excel (.xlsx), JSON or NDJSON; - is stdin')
    .addOption(
      new Option('--quiz-id <quiz-id>', 'the quiz for rows without one').argParser(once).conflicts('packageId'),
    )
    .option('--package-id <package-id>', 'the package for rows without one', once)
    .addOption(
      new RepeatedOption(
        '--map <heading=field>',
        'what a column is: "Kontakt=email", "Old mail=ignore"',
        readMeaning(meaningsFor(purpose)),
      ),
    )
    .addOption(new RepeatedOption('--only <heading=value>', 'only rows that say so: "Invite?=yes"', readCondition))
    .addOption(
      new RepeatedOption('--skip <heading=value>', 'skip rows that say so: "Do not contact=yes"', readCondition),
    )
    .option('--sheet <name>', 'the sheet of a workbook; default: the first one', once)
    .option('--header-row <number>', 'the row that names the columns; default: 1', wholeNumber(1))
    .addOption(
      new Option('--hidden <what>', 'what to do with rows that the sheet hides or strikes through').choices([
        'include',
        'skip',
      ]),
    )
    .option(
      '--encoding <label>',
      'such as windows-1252; default: UTF-8, or what the byte order mark says',
      readEncoding,
    )
}

function readMeaning(meanings: readonly Meaning[]) {
  return (text: string, previous: HeadingMap): readonly [heading: string, meaning: Meaning] => {
    const [, heading = '', name = ''] = /^(.+)=([^=]*)$/s.exec(text)?.map((each) => each.trim()) ?? []
    if (heading === '') throw new InvalidArgumentError('It must be a heading and a field, as in "Kontakt=email".')
    const field = meanings.find((each) => each === name)
    if (field === undefined) {
      const known = meanings.join(', ')
      throw new InvalidArgumentError(`Its field must be one of ${known}.${didYouMean(name, meanings)}`)
    }
    const isRepeated = previous.some(([each]) => each.toLowerCase() === heading.toLowerCase())
    if (isRepeated) throw new InvalidArgumentError('The heading is given twice.')
    return [heading, field]
  }
}

function readCondition(text: string): Condition {
  const [, heading = '', value = ''] = /^([^]+?)=([^=]*)$/.exec(text)?.map((each) => each.trim()) ?? []
  if (heading !== '') return [heading, value]
  throw new InvalidArgumentError('It must be a heading and a value, as in "Invite?=yes".')
}
