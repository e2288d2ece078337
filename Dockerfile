# The first stage builds and tests; nothing that fails its tests becomes an image.
FROM swift:6.3-bookworm AS build
WORKDIR /source
COPY .ci/install .ci/install
RUN .ci/install postgresql
COPY . .
RUN swift test --disable-xctest
RUN swift build -c release --product rewards --static-swift-stdlib --disable-local-rpath \
 && install -D --strip .build/release/rewards /out/rewards

# The second stage is what runs: the program, its libraries and the time zones.
FROM debian:12-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends \
      libcurl4 libssl3 libmicrohttpd12 libzstd1 libpq5 libstdc++6 tzdata ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin rewards \
 && install -d -o rewards -g rewards -m 0750 /data
COPY --from=build /out/rewards /usr/local/bin/rewards
COPY jobs /etc/rewards/jobs
USER rewards
WORKDIR /data
VOLUME /data
ENV REWARDS_DATA=/data \
    REWARDS_JOBS=/etc/rewards/jobs
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9464 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["rewards"]
CMD ["serve", "--log-level", "info"]
