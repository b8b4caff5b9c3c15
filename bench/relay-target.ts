// Serves as the target of relayed calls if there is no nginx: `node relay-target.ts PORT ANSWER`.

import { createServer } from 'node:http';

const [, , port, answer] = process.argv;
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) };

createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
	request.resume().once('end', () => response.writeHead(200, headers).end(answer));
}).listen(Number(port), '127.0.0.1');
