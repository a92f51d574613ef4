/** A number for people. */
export function number(count: number): string {
  return count.toLocaleString('en')
}

/** A number of rows for people. */
export function rowsOf(count: number): string {
  return `${number(count)} ${count === 1 ? 'row' : 'rows'}`
}

/** A duration for people. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** How long ago something was, for people. */
export function ago(durationMs: number): string {
  const minutes = Math.floor(durationMs / 60_000)
  if (minutes === 0) return 'just now'
  if (minutes < 120) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`
}
