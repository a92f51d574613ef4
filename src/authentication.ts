/** How a client authenticates. */
export type Authentication = 'api-key' | 'admin-session'
