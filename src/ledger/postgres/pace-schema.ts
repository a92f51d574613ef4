/** The tables of the rate that all processes share. */
export const paceTables = (_schema: string): string => ''
