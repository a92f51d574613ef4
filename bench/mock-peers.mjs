// @ts-nocheck: these packages are installed only in this folder, which the project's type check does not need.
// One server in its own process: the mock over HTTP, or one of its peers.
import { createServer } from 'node:http'
import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { createYoga } from 'graphql-yoga'
import { createMockServer } from '../dist/mock/index.js'
import { PATH, plainSchema } from './mock-operations.mjs'

const ofYoga = ({ request }) => ({ key: request.headers.get('x-api-key') })
const ofApollo = async ({ req }) => ({ key: req.headers['x-api-key'] })
const servers = {
  'certify-sdk/mock': async () => (await createMockServer().listen()).port,
  'graphql-yoga': async () => {
    const schema = await plainSchema()
    const yoga = createYoga({ schema, context: ofYoga, graphqlEndpoint: PATH, logging: false, graphiql: false })
    const server = createServer((request, response) => void yoga(request, response))
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    return server.address().port
  },
  '@apollo/server': async () => {
    const server = new ApolloServer({ schema: await plainSchema() })
    const { url } = await startStandaloneServer(server, { context: ofApollo, listen: { port: 0, host: '127.0.0.1' } })
    return Number(new URL(url).port)
  },
}

process.send({ port: await servers[process.argv[2]]() })
process.on('disconnect', () => process.exit())
