export const BODYLESS_STATUSES: ReadonlySet<number> = new Set([204, 205, 304])
