# A bare worker on a direct socket: --socket-addr=http=HOST:PORT, its bundle beside our own.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  v8Flags = ["--max-semi-space-size=2"],
  services = [(name = "hello", worker = .hello)],
  sockets = [(name = "http", address = "127.0.0.1:8080", http = (), service = "hello")],
);

const hello :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "../../.build/hello.js")],
  compatibilityDate = "2026-07-01",
);
