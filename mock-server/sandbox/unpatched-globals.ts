/**
 * The functions of the platform, read before anybody can replace them. Fake timers and request interceptors must not
 * change what a mock does by itself.
 */
export const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout, fetch: realFetch } = globalThis
