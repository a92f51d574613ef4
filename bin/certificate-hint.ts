/** What to do about a certificate that was not accepted; `undefined` if the code of the failure is about something else. */
export function certificateHint(code = ''): string | undefined {
  if (/ALTNAME|^HOSTNAME/.test(code)) return 'The certificate is for another name: check the address.'
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code)) {
    return 'Check the clock of this machine; if it is right, the service needs a new certificate.'
  }
  if (/SELF_SIGNED|ISSUER|UNABLE_TO_VERIFY|UNTRUSTED/.test(code)) {
    return 'For an authority of your own, set NODE_EXTRA_CA_CERTS to a file with its certificate.'
  }
  return /^CERT_|INVALID_CA/.test(code) ? 'The service needs another certificate: this one is not valid.' : undefined
}
