// Builds the native bindings of ssh2 and pkcs11js for the Node that runs the daemon.
//
// `npm ci` compiles it against whatever Node happens to run npm, and ssh2 falls back to slow
// JavaScript without a word when the two differ. The Node that npm scripts use is the package of
// scripts/node where it is installed (development, CI) and the machine's own otherwise; its headers
// come along in the former case. npm 11 is told not to compile it first (`allowScripts`), since
// this script would do it again. A failed build is not an error: the daemon runs without the
// binding and says so when it starts.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const platform = process.platform === 'win32' ? 'win' : process.platform;
const nodePackage = resolve(root, `node_modules/node-${platform}-${process.arch}`);
const bundledNode = existsSync(resolve(nodePackage, 'bin/node')) ? nodePackage : undefined;

const environment = { ...process.env };
if (bundledNode) {
	environment.PATH = `${resolve(bundledNode, 'bin')}${delimiter}${environment.PATH}`;
	if (existsSync(resolve(bundledNode, 'include/node/node.h'))) environment.npm_config_nodedir = bundledNode;
}

const node = bundledNode ? resolve(bundledNode, 'bin/node') : process.execPath;
const binding = resolve(root, 'node_modules/ssh2/lib/protocol/crypto/build/Release/sshcrypto.node');
const isLoadable = () => spawnSync(node, ['-e', `require(${JSON.stringify(binding)})`], { cwd: root }).status === 0;
/** Whether the garbage collector may abort the process over it (scripts/ssh2-object-wrap.h). */
const mayAbort = () => existsSync(binding) && readFileSync(binding).includes('RemoveEnvironmentCleanupHook');
const isGood = () => isLoadable() && !mayAbort();

if (!isGood()) {
	// The path begins where make compiles, since one from the root may hold blanks.
	const header = '../../../../../../scripts/ssh2-object-wrap.h';
	const withHeader = { ...environment, CXXFLAGS: `${environment.CXXFLAGS ?? ''} -include ${header}`.trim() };
	// The script that ssh2 has for npm. It calls node-gyp, which npm puts in the path of what it runs.
	spawnSync(node, ['install.js'], { cwd: resolve(root, 'node_modules/ssh2'), env: withHeader, stdio: 'ignore' });
}
if (mayAbort()) rmSync(binding);
// Master keys in an HSM need this package. A machine that cannot compile it does without, and says so when it is used.
const pkcs11 = resolve(root, 'node_modules/pkcs11js');
if (existsSync(pkcs11) && !existsSync(resolve(pkcs11, 'build/Release/pkcs11.node')))
	spawnSync('node-gyp', ['rebuild'], { cwd: pkcs11, env: environment, stdio: 'ignore' });
if (!isLoadable()) {
	process.stdout.write('tokendrop: ssh2 could not be compiled; sFTP will run on its slower JavaScript code.\n');
}
