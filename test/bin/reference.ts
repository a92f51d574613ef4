import type { Command, Option } from 'commander'
import { manualOf, nameOf } from '../../bin/help.ts'
import { columnNames } from '../../bin/terminal/table.ts'
import type { CommandLine } from '../../bin/program.ts'

/** The command-line reference in Markdown, from the same commands as the help. */
export async function referenceOf(line: CommandLine): Promise<string> {
  const commands: Command[] = []
  for (const name of line.names) {
    const command = await line.find(name.split(' '))
    if (command !== undefined) commands.push(command)
  }
  const contents = commands.map(nameOf).map((name) => `- [certify ${name}](#certify-${name.replaceAll(' ', '-')})`)
  return `# The command line

<!-- Generated from the program by \`npm run docs\`. Do not edit it. -->

Every command, with its options, output and examples. \`certify\` stands for \`npx certify-sdk\`.

${contents.join('\n')}

## Common options

Every command takes these, before its name or after it. An option overrides its variable, the variable overrides the profile,
and the profile overrides the default.

${optionTable(line.root.options)}

${commands.map(section).join('\n\n')}
`
}

function section(command: Command): string {
  const manual = manualOf(command)
  const summary = command.description()
  const parts = [
    `## certify ${nameOf(command)}`,
    `${summary[0]?.toUpperCase()}${summary.slice(1)}. ${manual?.about ?? ''}`.trimEnd(),
    `\`\`\`text\ncertify ${nameOf(command)} ${command.usage()}\n\`\`\``,
    ...command.registeredArguments.map((each) => `\`${each.name()}\`: ${each.description}.`),
    ...(command.options.length === 0 ? [] : [optionTable(command.options)]),
    ...(manual === undefined ? [] : [`Output: ${manual.output}`]),
    ...(manual?.columns === undefined ? [] : [`Columns in a pipe: ${columnNames(manual.columns)}.`]),
    ...(manual === undefined ? [] : [`\`\`\`sh\n${manual.examples.filter(Boolean).join('\n')}\n\`\`\``]),
  ]
  return parts.join('\n\n')
}

function optionTable(options: readonly Option[]): string {
  const rows = options.map(({ flags, description, argChoices, envVar }) => {
    const choices = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`
    const variable = envVar === undefined ? '' : ` (\`${envVar}\`)`
    return `| \`${flags.replaceAll('|', '\\|')}\` | ${description.replaceAll('|', '\\|')}${choices}${variable} |`
  })
  return ['| Option | What it does |', '|---|---|', ...rows].join('\n')
}
