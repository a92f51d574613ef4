/** A value as `console.log` of Node.js prints it, in short. An error has the line of the program that threw it. */
export function format(value, isInside = false) {
  if (typeof value === 'string') return isInside ? `'${value}'` : value
  if (value instanceof Error) return formatError(value)
  if (Array.isArray(value)) return `[ ${value.map((each) => format(each, true)).join(', ')} ]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${format(field, true)}`)
  return `{ ${fields.join(', ')} }`
}

function formatError(error) {
  const line = /blob:[^\s)]*?:(\d+):\d+/.exec(error.stack)?.[1]
  const details = ['outcome', 'code', 'hint'].filter((name) => error[name] !== undefined)
  return [
    `${error.name}: ${error.message}${line === undefined ? '' : ` (line ${line})`}`,
    ...details.map((name) => `  ${name}: ${error[name]}`),
  ].join('\n')
}
