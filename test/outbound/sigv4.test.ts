// Checks our signatures against those that AWS publishes, and against another implementation.

import { createHash } from 'node:crypto';
import test from 'ava';
import aws4 from 'aws4';
import fc from 'fast-check';
import { encodeStrictly, signV4, UNSIGNED_PAYLOAD } from '../../src/base/outbound/sigv4.ts';
import { Secret } from '../../src/base/settings/secret.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const signatureOf = (headers: readonly string[]) => /Signature=([0-9a-f]{64})$/.exec(headers.at(-1)!)?.[1];

/** The examples of "Authenticating Requests: Using the Authorization Header" in the reference of S3. */
const S3_EXAMPLES = {
	'a range of an object': {
		...{ method: 'GET', path: '/test.txt', headers: [['range', 'bytes=0-9']], body: '' },
		signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
	},
	'an object that is put': {
		...{ method: 'PUT', path: '/test%24file.text', body: 'Welcome to Amazon S3.' },
		headers: [
			['date', 'Fri, 24 May 2013 00:00:00 GMT'],
			['x-amz-storage-class', 'REDUCED_REDUNDANCY'],
		],
		signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
	},
	'a parameter without a value': {
		...{ method: 'GET', path: '/?lifecycle', headers: [], body: '' },
		signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
	},
	'a list of objects': {
		...{ method: 'GET', path: '/?max-keys=2&prefix=J', headers: [], body: '' },
		signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
	},
} as const;

for (const [name, { method, path, headers, body, signature }] of Object.entries(S3_EXAMPLES)) {
	test(`published for S3: ${name}`, (t) => {
		const url = new URL(path, 'https://examplebucket.s3.amazonaws.com');
		const secretKey = new Secret('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY');
		const key = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretKey, region: 'us-east-1', service: 's3' };
		const call = { method, url, headers: headers as never, payload: sha256(body) };
		t.is(signatureOf(signV4(call, key, new Date('2013-05-24T00:00:00Z'))), signature);
	});
}

/** Cases of AWS's test suite for signature version 4. */
const SUITE = {
	'get-vanilla': {
		...{ method: 'GET', query: '', headers: [] },
		signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
	},
	'post-vanilla': {
		...{ method: 'POST', query: '', headers: [] },
		signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
	},
	'get-vanilla-query-order-key-case': {
		...{ method: 'GET', query: '?Param2=value2&Param1=value1', headers: [] },
		signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
	},
	'get-header-value-multiline': {
		...{ method: 'GET', query: '', headers: [['My-Header1', 'value1,value2,value3']] },
		signature: 'ba17b383a53190154eb5fa66a1b836cc297cc0a3d70a5d00705980573d8ff790',
	},
} as const;

for (const [name, { method, query, headers, signature }] of Object.entries(SUITE)) {
	test(`published for all services: ${name}`, (t) => {
		const secretKey = new Secret('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY');
		const key = { accessKeyId: 'AKIDEXAMPLE', secretKey, region: 'us-east-1', service: 'service' };
		const url = new URL(`https://example.amazonaws.com/${query}`);
		const call = { method, url, headers: headers as never, payload: sha256('') };
		t.is(signatureOf(signV4(call, key, new Date('2015-08-30T12:36:00Z'))), signature);
	});
}

test('another implementation signs any call to S3 as we do', (t) => {
	const text = fc.string({ unit: 'binary', maxLength: 20 }).filter((any) => any.isWellFormed());
	const name = text.filter((any) => any !== '' && any !== '.' && any !== '..');
	fc.assert(
		fc.property(
			fc.constantFrom('GET', 'PUT', 'POST', 'DELETE'),
			fc.array(fc.oneof(name, fc.constantFrom('a+b', '100%', 'ü', "it's", '(1)*')), { minLength: 1, maxLength: 4 }),
			fc.uniqueArray(fc.tuple(name, text), { maxLength: 4, selector: ([one]) => one }),
			fc.option(text, { nil: undefined }),
			(method, keys, parameters, body) => {
				const path = `/${keys.map(encodeStrictly).join('/')}`;
				const query = parameters.map((pair) => pair.map(encodeStrictly).join('=')).join('&');
				const url = new URL(`https://s3.example.com:9000${path}${query && `?${query}`}`);
				const payload = body === undefined ? UNSIGNED_PAYLOAD : sha256(body);
				const secret = 'a secret';
				const at = new Date('2026-02-03T04:05:06.789Z');
				const key = { accessKeyId: 'AK', secretKey: new Secret(secret), region: 'eu-north-1', service: 's3' };
				const ours = signV4({ method, url, headers: [['x-amz-meta-a', ' b  c ']], payload }, key, at);
				const theirs = aws4.sign(
					{
						...{ method, service: 's3', region: 'eu-north-1', host: url.host, path: url.pathname + url.search },
						headers: { 'x-amz-meta-a': ' b  c ', 'X-Amz-Date': '20260203T040506Z', 'X-Amz-Content-Sha256': payload },
					},
					{ accessKeyId: 'AK', secretAccessKey: secret },
				);
				return signatureOf(ours) === signatureOf([String(theirs.headers!.Authorization)]);
			},
		),
	);
	t.pass();
});

test('a secret key is in no header of a signed call', (t) => {
	const secretKey = new Secret('wJalrXUtnFEMI');
	const key = { accessKeyId: 'AK', secretKey, region: 'r', service: 's3' };
	const call = { method: 'GET', url: new URL('https://example.com/'), headers: [], payload: UNSIGNED_PAYLOAD };
	t.notRegex(signV4(call, key, new Date()).join('\n'), /wJalrXUtnFEMI/);
});
