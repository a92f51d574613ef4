/** The variables of the commands that make or receive callback URLs. */
export const CALLBACK_VARIABLES = {
  baseUrl: 'CERTIFY_CALLBACK_BASE_URL',
  secret: 'CERTIFY_CALLBACK_SECRET',
  secretFile: 'CERTIFY_CALLBACK_SECRET_FILE',
} as const
