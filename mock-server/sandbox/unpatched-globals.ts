/**
 * The platform's own, taken before anybody can replace it: neither fake timers nor an interceptor of requests are meant to
 * get hold of what a mock does by itself.
 */
export const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout, fetch: realFetch } = globalThis
