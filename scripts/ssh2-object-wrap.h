// Is included before everything else when ssh2's native binding is compiled (scripts/postinstall.mjs).
//
// Since Node 24.19 the destructor of node::ObjectWrap aborts the process when the garbage collector runs while no JavaScript
// does. The binding's ciphers are such objects: a daemon would die some time after a connection has ended. nan, with which the
// binding is written, has a class of the same kind that does not.
#define SRC_NODE_OBJECT_WRAP_H_
#include <nan.h>

namespace node {
using Nan::ObjectWrap;
}
