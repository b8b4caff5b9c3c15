// Serves what a call is compared with, the least that Fastify does for a call: `node bare-route.ts PORT` parses a JSON body and
// answers in a few words.

import Fastify from 'fastify';

const app = Fastify();
app.post('/*', async (_, reply) => reply.code(201).send({ status: 'ok' }));
await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' });
