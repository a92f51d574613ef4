/**
 * The functions of the platform, read before anyone can replace them. Fake timers and request interceptors must not
 * change what a mock does on its own.
 */
export const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout, fetch: realFetch } = globalThis
