import test from 'ava';

/** Skips a test elsewhere than on Linux, because it needs what only that system has. */
export const testOnLinux = process.platform === 'linux' ? test : test.skip;
