// Loaded before a program: https://*.example is the server of the test, as if a name and a certificate led there. An account
// belongs to no service on this machine.
import http from 'node:http'
import https from 'node:https'
import { env } from 'node:process'

const { request } = https
const elsewhere = (/** @type {any} */ target, /** @type {any} */ options, /** @type {any} */ onResponse) =>
  target.hostname.endsWith('.example')
    ? http.request(new URL(target.pathname, env['SERVICES']), {
        ...options,
        agent: undefined,
        headers: { ...options.headers, host: target.host },
      })
    : request(target, options, onResponse)
Object.assign(https, { request: elsewhere })
