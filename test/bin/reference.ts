import type { CommandDescription, CommandDescriptions, FlagDescription } from '../../bin/help/describe-commands.ts'
import { outputParagraphs } from '../../bin/help/manual.ts'
import { TOPICS, topicText } from '../../bin/help/topics.ts'

/** The reference of the command line in Markdown, from the tree that the help comes from. */
export function referenceOf({ flags, commands }: CommandDescriptions): string {
  const contents = commands.map(({ name }) => `- [certify ${name}](#certify-${name.replaceAll(' ', '-')})`)
  return `# The command line

<!-- Made from the program by \`npm run docs:cli\`; not to be edited. -->

Every command takes \`--help\`, and the flags below but for those that its section excepts, in front of the command or behind it.

${contents.join('\n')}

## Common flags

A flag overrides its variable, that the profile, and that the default.

${flagTable(flags)}

${commands.map(section).join('\n\n')}

## Topics

${Object.keys(TOPICS)
  .map((name) => `### ${name}\n\n\`\`\`text\n${topicText(name)?.trimEnd()}\n\`\`\``)
  .join('\n\n')}
`
}

function section(command: CommandDescription): string {
  const { name, summary, flags, refuses, manual } = command
  const words =
    manual.usage ?? [...command.arguments.map(argument), ...(flags.length > 0 ? ['[options]'] : [])].join(' ')
  const parts = [
    `## certify ${name}`,
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
    `\`\`\`text\n${`certify ${name} ${words}`.trimEnd()}\n\`\`\``,
    ...(manual.scope === undefined ? [] : [`Needs a key with the scope \`${manual.scope}\`.`]),
    ...(manual.notes ?? []),
    ...(flags.length === 0 ? [] : [flagTable(flags)]),
    ...command.arguments.map((each) => `\`<${each.name}>\`: ${each.summary}.`),
    ...outputParagraphs(manual).map((each) => (each.endsWith('.') ? each : `${each}.`)),
    ...(refuses.length === 0 ? [] : [`Takes no ${listed(refuses.map((flag) => `\`${flag}\``))}.`]),
    `\`\`\`text\n${manual.examples.map((example) => `$ ${example.replaceAll('\n', '\n    ')}`).join('\n')}\n\`\`\``,
  ]
  return parts.join('\n\n')
}

function listed(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]+)$/, ' and $1')
}

function argument({ name, required }: CommandDescription['arguments'][number]): string {
  return required ? `<${name}>` : `[${name}]`
}

function flagTable(flags: readonly FlagDescription[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const hasVariables = flags.some(({ variable }) => variable !== undefined)
  const rows = flags.map((flag) => {
    const variable = hasVariables ? ` ${flag.variable === undefined ? '' : `\`${flag.variable}\``} |` : ''
    return `| \`${cell(flag.flags)}\` |${variable} ${cell(flag.summary)} |`
  })
  return [hasVariables ? '| Flag | Variable | |\n|---|---|---|' : '| Flag | |\n|---|---|', ...rows].join('\n')
}
