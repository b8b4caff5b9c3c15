import test from 'ava';
import { isPostgresUrl, readPostgresUrl, withPassword } from '../../src/base/settings/postgres-url.ts';

const namesOf = (url: string) => readPostgresUrl(url).hosts.map(({ name }) => name);

test('each host of a URL becomes a URL of its own, in the same order', (t) => {
	const { hosts, mustWrite } = readPostgresUrl('postgres://me:p%40,ss@db1:5432,[::1]:5433,db3/td?sslmode=verify-full');
	t.deepEqual(hosts, [
		{ name: 'db1:5432', url: 'postgres://me:p%40,ss@db1:5432/td?sslmode=verify-full' },
		{ name: '[::1]:5433', url: 'postgres://me:p%40,ss@[::1]:5433/td?sslmode=verify-full' },
		{ name: 'db3:5432', url: 'postgres://me:p%40,ss@db3/td?sslmode=verify-full' },
	]);
	t.true(mustWrite, 'of several hosts the one that takes writes is used');
});

test('a single host is used whatever it is, unless the URL says that it must take writes', (t) => {
	t.false(readPostgresUrl('postgres://me@db/td').mustWrite);
	t.true(readPostgresUrl('postgres://me@db/td?target_session_attrs=read-write').mustWrite);
	t.true(readPostgresUrl('postgresql://me@db/td?sslmode=require&target_session_attrs=primary').mustWrite);
});

test('a host is named as the driver finds it', (t) => {
	t.deepEqual(namesOf('postgres://me@db/td?host=/run/postgresql&port=5433'), ['/run/postgresql:5433']);
	t.deepEqual(namesOf('postgres:///td'), ['localhost:5432']);
	t.deepEqual(namesOf('postgres://%2Frun%2Fpg/td'), ['/run/pg:5432']);
});

for (const url of [
	'postgres://a,,b/td',
	'postgres://a,/td',
	'postgres://a:5432,b:port/td',
	'postgres://a/td?host=b,c',
	'postgres://a/td?port=1,2',
	'postgres://a,b/td?target_session_attrs=any',
	'postgres://a/td?target_session_attrs=standby',
	'postgres://a/td?target_session_attrs=read-write&target_session_attrs=read-only',
	'mysql://a/td',
]) {
	test(`no daemon can use ${url}`, (t) => {
		t.false(isPostgresUrl(url));
	});
}

test('a password from a file holds for every host', (t) => {
	t.is(withPassword('postgres://me@a:1,b:2/td', 'p@ss/word,'), 'postgres://me:p%40ss%2Fword%2C@a:1,b:2/td');
	t.deepEqual(namesOf(withPassword('postgres://me@a:1,b:2/td', 'p@ss/word,')), ['a:1', 'b:2']);
	t.is(withPassword('postgres:///td', 'sesame'), 'postgres:///td');
});
