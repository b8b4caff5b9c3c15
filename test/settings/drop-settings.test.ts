import test from 'ava';
import { findBucket } from '../../src/base/settings/drop-settings.ts';
import { loadSettings, SettingsError, shownSettings } from '../../src/base/settings/settings.ts';

const KEY = { TOKENDROP_DROPS_ACCESS_KEY_ID: 'AK', TOKENDROP_DROPS_SECRET_KEY_FILE: '/run/secret' };

const BUCKETS: Record<string, ReturnType<typeof findBucket>> = {
	's3://drops': { endpoint: 'https://s3.us-east-1.amazonaws.com', bucket: 'drops', prefix: '', region: 'us-east-1' },
	's3://drops.of.us/?region=eu-central-1': {
		endpoint: 'https://s3.eu-central-1.amazonaws.com',
		bucket: 'drops.of.us',
		prefix: '',
		region: 'eu-central-1',
	},
	's3://drops/a+b/100%25/%C3%BC/?endpoint=http://10.0.0.7:9000&region=x': {
		endpoint: 'http://10.0.0.7:9000',
		bucket: 'drops',
		prefix: 'a+b/100%/ü/',
		region: 'x',
	},
};

for (const [text, bucket] of Object.entries(BUCKETS)) {
	test(`${text} is read`, (t) => t.deepEqual(findBucket(text), bucket));
}

const NO_BUCKETS = [
	...[
		'drops',
		'/srv/drops',
		'https://drops',
		's3://',
		's3://a',
		's3://Drops_1',
		's3://key:secret@drops',
		's3://drops:80',
	],
	...['s3://drops//a', 's3://drops/a//b', 's3://drops/%', 's3://drops/a%00b', `s3://drops/${'a'.repeat(901)}`],
	...['s3://drops?endpoint=https://host/path', 's3://drops?endpoint=host:80', 's3://drops?endpoint=https://u:p@host'],
	...['s3://drops?acl=public', 's3://drops?region=a&region=b', 's3://drops?region=a/b', 's3://drops#x'],
];

test('other texts are no bucket', (t) => {
	for (const text of NO_BUCKETS) t.is(findBucket(text), undefined, text);
});

test('a bucket needs a key, and its secret is never shown', (t) => {
	const store = { TOKENDROP_DROPS_STORE: 's3://drops/prefix' };
	const error = t.throws(() => loadSettings({ env: store }), { instanceOf: SettingsError });
	t.deepEqual(
		error.problems.map(({ key, rule }) => [key, rule]),
		['drops.accessKeyId', 'drops.secretKeyFile'].map((key) => [key, 'a value where drops.store is set']),
	);
	const settings = loadSettings({ env: { ...store, ...KEY } });
	t.like(settings.drops, { store: 's3://drops/prefix', accessKeyId: 'AK', secretKeyFile: '/run/secret' });
	t.false('secretKey' in (shownSettings(settings).drops as object));
});

test('production does not send files to a bucket in clear, except on the same machine', (t) => {
	const production = { TOKENDROP_ENVIRONMENT: 'production', TOKENDROP_BASE_URL: 'https://tokens.example.com', ...KEY };
	const load = (endpoint: string) =>
		loadSettings({ env: { ...production, TOKENDROP_DROPS_STORE: `s3://drops?endpoint=${endpoint}` } });
	const error = t.throws(() => load('http://s3.internal:9000'), { instanceOf: SettingsError });
	t.deepEqual(
		error.problems.map(({ key }) => key),
		['drops.store'],
	);
	t.notThrows(() => load('https://s3.internal:9000'));
	t.notThrows(() => load('http://127.0.0.1:9000'));
});
