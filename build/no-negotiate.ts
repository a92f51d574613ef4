/* In place of the package `proxy-agent-negotiate`: proxies that want Kerberos are not supported, and it brings no licence text. */
export function createNegotiateAuth(): never {
  throw new Error('the program supports no Kerberos')
}
