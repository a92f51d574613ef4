// @ts-nocheck: these packages are installed in this folder alone, which the project's type check does not need.
// One server in a process of its own: the mock over HTTP, or one of its peers.
import { createServer } from 'node:http'
import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { createYoga } from 'graphql-yoga'
import { createMockServer } from '../dist/mock/index.js'
import { PATH, plainSchema } from './mock-operations.mjs'

const servers = {
  'certify-sdk/mock': async () => (await createMockServer().listen()).port,
  'graphql-yoga': async () => {
    const context = ({ request }) => ({ key: request.headers.get('x-api-key') })
    const schema = await plainSchema()
    const server = createServer(createYoga({ schema, context, graphqlEndpoint: PATH, logging: false, graphiql: false }))
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    return server.address().port
  },
  '@apollo/server': async () => {
    const context = async ({ req }) => ({ key: req.headers['x-api-key'] })
    const server = new ApolloServer({ schema: await plainSchema() })
    const { url } = await startStandaloneServer(server, { context, listen: { port: 0, host: '127.0.0.1' } })
    return Number(new URL(url).port)
  },
}

process.send({ port: await servers[process.argv[2]]() })
process.on('disconnect', () => process.exit())
