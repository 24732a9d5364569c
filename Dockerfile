# An image with the program alone: docker build -t matcha . && docker run --rm -v "$PWD:/d" matcha run --pattern triangle /d/graph.txt
FROM debian:bookworm AS build
COPY scripts/common.sh /source/scripts/common.sh
RUN bash -c 'source /source/scripts/common.sh && install_packages "${packages[@]}"'
COPY . /source
RUN cd /source && cmake --preset release -DMATCHA_TESTS=OFF -DMATCHA_BENCH=OFF \
 && cmake --build build && cpack -G DEB --config build/CPackConfig.cmake -B /packages

FROM debian:bookworm-slim
RUN --mount=type=bind,from=build,source=/packages,target=/packages \
    apt-get update && apt-get install -y --no-install-recommends /packages/matcha_*.deb && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 10001 matcha
# A number, as Kubernetes asks for where root is forbidden.
USER 10001
WORKDIR /home/matcha
ENTRYPOINT ["matcha"]
