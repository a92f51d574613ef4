import { defineConfig } from 'vitest/config'

/*
 * The tests that hold the rules: those of the client, of the ledger, and of a world. Properties are left out: there is
 * chance in them, and a score has to repeat.
 */
export default defineConfig({
  test: {
    include: [
      'test/src/{client,failures,hooks,inputs,never-twice,options,request-headers,retry}.test.ts',
      'test/src/ledger/{contract,guard,reference,rules,suspended,late}.test.ts',
      'test/mock-server/{access,behaviour,callbacks,candidate,challenge,delivery,invites,load,options,package-invites}.test.ts',
      'test/mock-server/{rules,snapshot,timeline,tracks,world}.test.ts',
    ],
    /* One load of the modules for all files: half the time. */
    isolate: false,
    testTimeout: 20_000,
  },
})
