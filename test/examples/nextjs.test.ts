import { testInviting } from './inviting.ts'

testInviting('nextjs', { how: 'copied' })
