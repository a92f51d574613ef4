/** The tables of what is to be sent. */
export const outboxTables = (_schema: string): string => ''
