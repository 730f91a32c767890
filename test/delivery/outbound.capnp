# A worker that fetches whatever it is told, through the edge's own way to the internet: --socket-addr=http=HOST:PORT
using Workerd = import "/workerd/workerd.capnp";
using Edge = import "../../local/parts/edge.capnp";

const config :Workerd.Config = (
  services = [
    (name = "outbound", worker = .outbound),
    (name = "internet", network = Edge.internet),
    (name = "anywhere", network = Edge.anywhere),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8080", http = (), service = "outbound")],
);

const outbound :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "outbound.js")],
  compatibilityDate = "2026-07-01",
  globalOutbound = "internet",
  bindings = [(name = "ANYWHERE", service = "anywhere")],
);
